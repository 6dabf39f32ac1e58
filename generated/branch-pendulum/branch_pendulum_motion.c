/* Riccati transfer matrix method, fast form: branch-pendulum
 *
 * Generated: the model as the integrators of mstmm_motion.c see it.
 */
#include "branch_pendulum.h"

/* ---- What the integrators of mstmm_motion.c see of the model ---- */

static int motion_rates(const double *q, const double *u, double *qd, void *work)
{
    (void)q;
    return branch_pendulum_rates(u, qd, work);
}

static int motion_accelerations(const double *t, const double *q, const double *v, double *u, double *vd, const double *const *given, void *work)
{
    (void)t, (void)u, (void)given;
    return branch_pendulum_accelerations(q, v, vd, work);
}

const mstmm_model branch_pendulum_model = {
    .lanes = 1,
    .nq = 4,
    .nv = 4,
    .rates = motion_rates,
    .accelerations = motion_accelerations,
};

int branch_pendulum_rhs(double t, const double *y, double *dydt, void *data)
{
    const branch_pendulum_data *const with = data;
    (void)t;
    const double *const q = y;
    const double *const v = y + 4;
    return branch_pendulum_rates(v, dydt, with->w)
        | branch_pendulum_accelerations(q, v, dydt + 4, with->w);
}

