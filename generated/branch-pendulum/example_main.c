/* Accelerations and energy of the start position:
 *     cc -std=c11 -O2 *.c -lm -o example && ./example
 */
#include "branch_pendulum.h"

#include <stdio.h>

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
    return status;
}
