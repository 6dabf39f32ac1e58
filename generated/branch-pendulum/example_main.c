/* Accelerations and energy of the start position, and the motion of a second from there:
 *     cc -std=c11 -O2 *.c -lm -o example && ./example
 */
#include "branch_pendulum.h"

#include <stdio.h>
#include <stdlib.h>

/* Ten records of a motion after its start; what it passes meanwhile is found and left. */
enum { RECORDS = 11 };

/* Moves by the method of Dormand and Prince, and prints the coordinates; 0 when the end was reached. */
static int move(const double *q, const double *v, const double *const *given, branch_pendulum_work *w)
{
    static double times[RECORDS], run_q[(RECORDS + 1) * 4], run_v[(RECORDS + 1) * 4];
    double *const memory = malloc((size_t)mstmm_memory(&branch_pendulum_model) * sizeof *memory);
    for (int k = 0; k < RECORDS; k++) {
        times[k] = 0.1 * k;
    }
    mstmm_motion m = {
        .model = &branch_pendulum_model, .work = w, .memory = memory, .method = MSTMM_DOPRI5,
        .end = times[RECORDS - 1], .rtol = 1e-9, .atol = 1e-9, .times = times, .records = RECORDS,
        .run_q = run_q, .run_v = run_v
    };
    const char *const missing = mstmm_begin(&m, 1, q, v, given);
    while (mstmm_advance(&m, 1000)) {
    }
    free(memory);
    if (missing) {
        printf("no motion: %s\n", missing);
        return 1;
    }
    for (long k = 0; k < m.recorded[0]; k++) {
        printf("t = %.1f: q =", k < RECORDS ? times[k] : m.t[0]);
        for (int j = 0; j < 4; j++) {
            printf(" %.9g", run_q[k * 4 + j]);
        }
        printf("\n");
    }
    if (m.state[0] != MSTMM_DONE) {
        printf("the motion ends at t = %g: %d, see mstmm_motion.h\n", m.t[0], m.state[0]);
    }
    return m.state[0] != MSTMM_DONE;
}

int main(void)
{
    static const double q[4] = {
        1.5707963267948966, 1.5707963267948966, 1.5707963267948966, 0.0
    };
    static const double v[4] = {
        0.0, 0.0, 0.0, 0.0
    };
    static branch_pendulum_work w;
    static double a[4];
    static double energy[1];
    int status = branch_pendulum_accelerations(q, v, a, &w);
    status |= branch_pendulum_energy(q, v, energy, &w);
    for (int i = 0; i < 4; i++) {
        printf("a[%d] = %.17g\n", i, a[i]);
    }
    printf("energy = %.17g\n", energy[0]);
    return status | move(q, v, 0, &w);
}
