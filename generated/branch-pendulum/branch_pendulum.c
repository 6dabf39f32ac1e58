/* Riccati transfer matrix method, fast form: branch-pendulum
 *
 * Generated; each block names the equations it comes from.
 * The numbers hold the parameters m = 1.0, a = 0.5, g = 9.81.
 */
#include "branch_pendulum.h"

#include "mstmm_solve.h"
#include "mstmm_trig.h"

#include <math.h>

/* orientation of every body */
static void orientation(const double *restrict q, branch_pendulum_work *restrict w)
{
    {
        const double angles[8] = {q[0], q[1], q[2], q[3]};
        mstmm_sincos_all(8, angles, w->sines, w->cosines);
    }
    /* 1: orientation of a body */
    w->c[0] = w->cosines[0]; w->s[0] = w->sines[0];
    /* 3: orientation of a body */
    w->c[1] = w->cosines[1]; w->s[1] = w->sines[1];
    /* 5: orientation of a body */
    w->c[2] = w->cosines[2]; w->s[2] = w->sines[2];
    /* 7: orientation of a body */
    w->c[3] = w->cosines[3]; w->s[3] = w->sines[3];
}

/* Riccati recursion, from the tips to the root */
static void tips_to_root(const double *restrict v, branch_pendulum_work *restrict w)
{
    { /* 1: rigid body with no input, smooth hinge */
        const double c = w->c[0], s = w->s[0], omega = v[0];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        /* h = A h′ (first moment of mass about O) */
        const double t = 0.5 * c;
        const double IA13 = 0.5 * s;
        /* pA = p (force and moment balance about the output end, Riccati paper (4), (29), (30)) */
        const double pA1 = w2 * t;
        const double pA2 = 9.81 + w2 * IA13;
        /* Ω̇ = P r̈ + b, P = −IA22⁻¹ IA21, b = −IA22⁻¹ pA2 (m = 0 at the hinge: Riccati paper (29), (30), completed) */
        const double t_2 = 1.5 * s;
        const double Pb12 = 1.5 * c;
        const double Pb13 = 14.715 * c;
        w->P11[0] = -t_2; w->P12[0] = Pb12; w->b[0] = Pb13;
        /* IAh = IA11 + IA12 P */
        w->IAh11[0] = 1.0 - IA13 * t_2;
        w->IAh12[0] = IA13 * Pb12;
        w->IAh22[0] = 1.0 - t * Pb12;
        /* pAh = pA1 + IA12 b */
        w->pAh1[0] = pA1 + IA13 * Pb13;
        w->pAh2[0] = pA2 - t * Pb13;
    }
    { /* 3: rigid body with no input, smooth hinge */
        const double c = w->c[1], s = w->s[1], omega = v[1];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        /* h = A h′ (first moment of mass about O) */
        const double t = 0.5 * c;
        const double IA13 = 0.5 * s;
        /* pA = p (force and moment balance about the output end, Riccati paper (4), (29), (30)) */
        const double pA1 = w2 * t;
        const double pA2 = 9.81 + w2 * IA13;
        /* Ω̇ = P r̈ + b, P = −IA22⁻¹ IA21, b = −IA22⁻¹ pA2 (m = 0 at the hinge: Riccati paper (29), (30), completed) */
        const double t_2 = 1.5 * s;
        const double Pb12 = 1.5 * c;
        const double Pb13 = 14.715 * c;
        w->P11[1] = -t_2; w->P12[1] = Pb12; w->b[1] = Pb13;
        /* IAh = IA11 + IA12 P */
        w->IAh11[1] = 1.0 - IA13 * t_2;
        w->IAh12[1] = IA13 * Pb12;
        w->IAh22[1] = 1.0 - t * Pb12;
        /* pAh = pA1 + IA12 b */
        w->pAh1[1] = pA1 + IA13 * Pb13;
        w->pAh2[1] = pA2 - t * Pb13;
    }
    { /* 5: rigid body with one input, smooth hinge */
        const double c = w->c[2], s = w->s[2], omega = v[2], IA_I1_11 = w->IAh11[1];
        const double IA_I1_12 = w->IAh12[1], IA_I1_22 = w->IAh22[1];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        /* h = A h′ (first moment of mass about O) */
        const double t = 0.5 * c;
        const double t_2 = 0.5 * s;
        /* g1 = ~Ω ~Ω r1 (Riccati paper (14): acceleration of a point of a rigid body) */
        const double g_I1_1 = c * w2;
        const double g_I1_2 = s * w2;
        /* T1 = IA1 X1 (force and moment balance about the output end, Riccati paper (4), (29), (30)) */
        const double T_I1_13 = s * IA_I1_11 - c * IA_I1_12;
        const double T_I1_23 = s * IA_I1_12 - c * IA_I1_22;
        /* y1 = pA1 + IA1 g1 */
        const double y_I1_1 = IA_I1_12 * g_I1_2 + (w->pAh1[1] + IA_I1_11 * g_I1_1);
        const double y_I1_2 = IA_I1_22 * g_I1_2 + (w->pAh2[1] + IA_I1_12 * g_I1_1);
        /* IA = M + X1ᵀ T1 */
        const double IA11 = 1.0 + IA_I1_11;
        const double IA13 = t_2 + T_I1_13;
        const double IA22 = 1.0 + IA_I1_22;
        const double IA23 = T_I1_23 - t;
        const double IA33 = 0.3333333333333333 + s * T_I1_13 - c * T_I1_23;
        /* pA = p + X1ᵀ y1 */
        const double pA1 = y_I1_1 + w2 * t;
        const double pA2 = w2 * t_2 + (y_I1_2 + 9.81);
        /* Ω̇ = P r̈ + b, P = −IA22⁻¹ IA21, b = −IA22⁻¹ pA2 (m = 0 at the hinge: Riccati paper (29), (30), completed) */
        const double t_3 = 1.0 / IA33;
        const double t_4 = IA13 * t_3;
        const double Pb12 = (t - T_I1_23) * t_3;
        const double Pb13 = (4.905 * c - (s * y_I1_1 - c * y_I1_2)) * t_3;
        w->P11[2] = -t_4; w->P12[2] = Pb12; w->b[2] = Pb13;
        /* IAh = IA11 + IA12 P */
        w->IAh11[2] = IA11 - IA13 * t_4;
        w->IAh12[2] = IA_I1_12 + IA13 * Pb12;
        w->IAh22[2] = IA22 + IA23 * Pb12;
        /* pAh = pA1 + IA12 b */
        w->pAh1[2] = pA1 + IA13 * Pb13;
        w->pAh2[2] = pA2 + IA23 * Pb13;
    }
    { /* 7: rigid body with 2 inputs, smooth hinge */
        const double omega = v[3], IA_I1_11 = w->IAh11[0], IA_I1_12 = w->IAh12[0];
        const double IA_I1_22 = w->IAh22[0], IA_I2_11 = w->IAh11[2], IA_I2_12 = w->IAh12[2];
        const double IA_I2_22 = w->IAh22[2];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        /* r_P = r_O + A r′ */
        const double r_I2_1 = 0.5 * w->c[3];
        const double r_I2_2 = 0.5 * w->s[3];
        /* g1 = ~Ω ~Ω r1 (Riccati paper (14): acceleration of a point of a rigid body) */
        const double g_I1_1 = w2 * r_I2_1;
        const double g_I1_2 = w2 * r_I2_2;
        /* T1 = IA1 X1 (force and moment balance about the output end, Riccati paper (4), (29), (30)) */
        const double T_I1_13 = IA_I1_11 * r_I2_2 - IA_I1_12 * r_I2_1;
        const double T_I1_23 = IA_I1_12 * r_I2_2 - IA_I1_22 * r_I2_1;
        /* y1 = pA1 + IA1 g1 */
        const double y_I1_1 = IA_I1_12 * g_I1_2 + (w->pAh1[0] + IA_I1_11 * g_I1_1);
        const double y_I1_2 = IA_I1_22 * g_I1_2 + (w->pAh2[0] + IA_I1_12 * g_I1_1);
        /* T2 = IA2 X2 */
        const double T_I2_13 = IA_I2_12 * r_I2_1 - IA_I2_11 * r_I2_2;
        const double T_I2_23 = IA_I2_22 * r_I2_1 - IA_I2_12 * r_I2_2;
        /* y2 = pA2 + IA2 g2 */
        const double y_I2_1 = w->pAh1[2] - IA_I2_11 * g_I1_1 - IA_I2_12 * g_I1_2;
        const double y_I2_2 = w->pAh2[2] - IA_I2_12 * g_I1_1 - IA_I2_22 * g_I1_2;
        /* IA = M + X1ᵀ T1 + X2ᵀ T2 */
        const double IA13 = T_I1_13 + T_I2_13;
        const double IA23 = T_I1_23 + T_I2_23;
        const double t = r_I2_2 * T_I1_13 + (0.08333333333333333 + r_I2_1 * T_I2_23) - r_I2_1 * T_I1_23;
        const double IA33 = t - r_I2_2 * T_I2_13;
        /* pA = p + X1ᵀ y1 + X2ᵀ y2 */
        const double pA1 = y_I1_1 + y_I2_1;
        const double pA2 = 9.81 + (y_I1_2 + y_I2_2);
        /* Ω̇ = P r̈ + b, P = −IA22⁻¹ IA21, b = −IA22⁻¹ pA2 (m = 0 at the hinge: Riccati paper (29), (30), completed) */
        const double t_2 = r_I2_2 * y_I2_1 - (r_I2_1 * y_I2_2 + r_I2_2 * y_I1_1 - r_I2_1 * y_I1_2);
        const double Pb13 = t_2 * (1.0 / IA33);
        w->b[3] = Pb13;
        /* pAh = pA1 + IA12 b */
        w->pAh1[3] = pA1 + IA13 * Pb13;
        w->pAh2[3] = pA2 + IA23 * Pb13;
    }
}

/* back-substitution, from the root to the tips */
static void root_to_tips(const double *restrict v, double *restrict a, branch_pendulum_work *restrict w)
{
    { /* 7: accelerations of a body with 2 inputs */
        const double b = w->b[3], omega = v[3];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        const double r_I2_1 = 0.5 * w->c[3];
        const double r_I2_2 = 0.5 * w->s[3];
        /* r̈1 = r̈ + Ω̇ × r1 + ~Ω ~Ω r1 */
        const double rdd_I1_1 = b * r_I2_2 + w2 * r_I2_1;
        const double t = b * r_I2_1;
        const double t_2 = w2 * r_I2_2;
        a[3] = b; w->rdd1[0] = rdd_I1_1;
        w->rdd2[0] = t_2 - t;
        w->rdd1[2] = -rdd_I1_1;
        /* r̈2 = r̈ + Ω̇ × r2 + ~Ω ~Ω r2 */
        w->rdd2[2] = t - t_2;
    }
    { /* 5: accelerations of a body with one input */
        const double c = w->c[2], s = w->s[2], rdd1 = w->rdd1[2], rdd2 = w->rdd2[2];
        const double omega = v[2];
        /* Ω̇ = P r̈ + b (back-substitution: Riccati paper (33), completed) */
        const double Omegad = w->P12[2] * rdd2 + (w->b[2] + w->P11[2] * rdd1);
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        a[2] = Omegad;
        /* r̈1 = r̈ + Ω̇ × r1 + ~Ω ~Ω r1 */
        w->rdd1[1] = c * w2 + (rdd1 + s * Omegad);
        w->rdd2[1] = rdd2 + s * w2 - c * Omegad;
    }
    /* 3: accelerations of a body with no input */
    /* Ω̇ = P r̈ + b (back-substitution: Riccati paper (33), completed) */
    a[1] = w->P12[1] * w->rdd2[1] + (w->b[1] + w->P11[1] * w->rdd1[1]);
    /* 1: accelerations of a body with no input */
    /* Ω̇ = P r̈ + b (back-substitution: Riccati paper (33), completed) */
    a[0] = w->P12[0] * w->rdd2[0] + (w->b[0] + w->P11[0] * w->rdd1[0]);
}

/* loads at every hinge */
static void hinge_loads(double *restrict loads, branch_pendulum_work *restrict w)
{
    { /* 1: loads at a hinge */
        const double IAh12 = w->IAh12[0], rdd1 = w->rdd1[0], rdd2 = w->rdd2[0];
        /* λ = IAh r̈ + pAh (Riccati paper (31): z_a = S z_b + e) */
        const double lam1 = IAh12 * rdd2 + (w->pAh1[0] + w->IAh11[0] * rdd1);
        const double lam2 = w->IAh22[0] * rdd2 + (w->pAh2[0] + IAh12 * rdd1);
        mstmm_put_6(&loads[0], 0.0, 0.0, 0.0, -lam1, -lam2, 0.0);
    }
    { /* 3: loads at a hinge */
        const double IAh12 = w->IAh12[1], rdd1 = w->rdd1[1], rdd2 = w->rdd2[1];
        /* λ = IAh r̈ + pAh (Riccati paper (31): z_a = S z_b + e) */
        const double lam1 = IAh12 * rdd2 + (w->pAh1[1] + w->IAh11[1] * rdd1);
        const double lam2 = w->IAh22[1] * rdd2 + (w->pAh2[1] + IAh12 * rdd1);
        mstmm_put_6(&loads[6], 0.0, 0.0, 0.0, -lam1, -lam2, 0.0);
    }
    { /* 5: loads at a hinge */
        const double IAh12 = w->IAh12[2], rdd1 = w->rdd1[2], rdd2 = w->rdd2[2];
        /* λ = IAh r̈ + pAh (Riccati paper (31): z_a = S z_b + e) */
        const double lam1 = IAh12 * rdd2 + (w->pAh1[2] + w->IAh11[2] * rdd1);
        const double lam2 = w->IAh22[2] * rdd2 + (w->pAh2[2] + IAh12 * rdd1);
        mstmm_put_6(&loads[12], 0.0, 0.0, 0.0, -lam1, -lam2, 0.0);
    }
    /* 7: loads at a hinge */
    mstmm_put_6(&loads[18], 0.0, 0.0, 0.0, -w->pAh1[3], -w->pAh2[3], 0.0);
}

/* accelerations and loads at every end of every element */
static void end_states(const double *restrict v, double *restrict a, double *restrict za, double *restrict zb, branch_pendulum_work *restrict w)
{
    { /* 1: acceleration of an end, loads at both ends of a hinge, loads at a free end */
        const double c = w->c[0], s = w->s[0], omega = v[0], a_ = a[0], rdd1 = w->rdd1[0];
        const double rdd2 = w->rdd2[0];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        const double IAh12 = w->IAh12[0];
        /* Riccati paper (31): z_a = S z_b + e */
        const double lam1 = rdd2 * IAh12 + (w->pAh1[0] + rdd1 * w->IAh11[0]);
        const double lam2 = rdd2 * w->IAh22[0] + (w->pAh2[0] + rdd1 * IAh12);
        /* Riccati paper (2) */
        const double t = -lam1;
        const double t_2 = -lam2;
        /* Riccati paper (14): acceleration of a point of a rigid body */
        mstmm_put_6(&zb[0],
            c * w2 + (rdd1 + s * a_), rdd2 + s * w2 - c * a_, 0.0, 0.0, 0.0, a_);
        mstmm_put_6(&zb[6], rdd1, rdd2, 0.0, 0.0, 0.0, a_);
        mstmm_put_6(&za[6], 0.0, 0.0, 0.0, t, t_2, 0.0);
        mstmm_put_6(&za[36], 0.0, 0.0, 0.0, t, t_2, 0.0);
        mstmm_put_6(&za[0], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    }
    { /* 3: acceleration of an end, loads at both ends of a hinge, loads at a free end */
        const double c = w->c[1], s = w->s[1], omega = v[1], a_ = a[1], rdd1 = w->rdd1[1];
        const double rdd2 = w->rdd2[1];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        const double IAh12 = w->IAh12[1];
        /* Riccati paper (31): z_a = S z_b + e */
        const double lam1 = rdd2 * IAh12 + (w->pAh1[1] + rdd1 * w->IAh11[1]);
        const double lam2 = rdd2 * w->IAh22[1] + (w->pAh2[1] + rdd1 * IAh12);
        /* Riccati paper (2) */
        const double t = -lam1;
        const double t_2 = -lam2;
        /* Riccati paper (14): acceleration of a point of a rigid body */
        mstmm_put_6(&zb[12],
            c * w2 + (rdd1 + s * a_), rdd2 + s * w2 - c * a_, 0.0, 0.0, 0.0, a_);
        mstmm_put_6(&zb[18], rdd1, rdd2, 0.0, 0.0, 0.0, a_);
        mstmm_put_6(&za[18], 0.0, 0.0, 0.0, t, t_2, 0.0);
        mstmm_put_6(&za[24], 0.0, 0.0, 0.0, t, t_2, 0.0);
        mstmm_put_6(&za[12], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    }
    { /* 5: acceleration of an end, loads at both ends of a hinge */
        const double c = w->c[2], s = w->s[2], omega = v[2], a_ = a[2], rdd1 = w->rdd1[2];
        const double rdd2 = w->rdd2[2];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        const double IAh12 = w->IAh12[2];
        /* Riccati paper (31): z_a = S z_b + e */
        const double lam1 = rdd2 * IAh12 + (w->pAh1[2] + rdd1 * w->IAh11[2]);
        const double lam2 = rdd2 * w->IAh22[2] + (w->pAh2[2] + rdd1 * IAh12);
        /* Riccati paper (2) */
        const double t = -lam1;
        const double t_2 = -lam2;
        /* Riccati paper (14): acceleration of a point of a rigid body */
        mstmm_put_6(&zb[24],
            c * w2 + (rdd1 + s * a_), rdd2 + s * w2 - c * a_, 0.0, 0.0, 0.0, a_);
        mstmm_put_6(&zb[30], rdd1, rdd2, 0.0, 0.0, 0.0, a_);
        mstmm_put_6(&za[30], 0.0, 0.0, 0.0, t, t_2, 0.0);
        mstmm_put_6(&za[42], 0.0, 0.0, 0.0, t, t_2, 0.0);
    }
    { /* 7: acceleration of an end, loads at both ends of a hinge, acceleration of the ground */
        const double omega = v[3], a_ = a[3];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        /* r_P = r_O + A r′ */
        const double r1 = 0.5 * w->c[3];
        const double r2 = 0.5 * w->s[3];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double zb1 = a_ * r2 + w2 * r1;
        const double t = a_ * r1;
        const double t_2 = w2 * r2;
        /* Riccati paper (2) */
        const double t_3 = -w->pAh1[3];
        const double t_4 = -w->pAh2[3];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        mstmm_put_6(&zb[36], zb1, t_2 - t, 0.0, 0.0, 0.0, a_);
        mstmm_put_6(&zb[42], -zb1, t - t_2, 0.0, 0.0, 0.0, a_);
        mstmm_put_6(&zb[48], 0.0, 0.0, 0.0, 0.0, 0.0, a_);
        mstmm_put_6(&za[48], 0.0, 0.0, 0.0, t_3, t_4, 0.0);
        mstmm_put_6(&za[54], 0.0, 0.0, 0.0, t_3, t_4, 0.0);
        mstmm_put_6(&zb[54], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    }
}

/* position of every hinge */
static void places_poses(branch_pendulum_work *restrict w)
{
    { /* 7: 2 inputs of a body */
        /* r_P = r_O + A r′ */
        const double r_I2_1 = 0.5 * w->c[3];
        const double r_I2_2 = 0.5 * w->s[3];
        w->x1[0] = -r_I2_1; w->x2[0] = -r_I2_2; w->x1[2] = r_I2_1; w->x2[2] = r_I2_2;
    }
    /* 5: one input of a body */
    /* r_P = r_O + A r′ */
    w->x1[1] = w->x1[2] - w->c[2];
    w->x2[1] = w->x2[2] - w->s[2];
}

/* position of every hinge */
static void places(const double *restrict v, branch_pendulum_work *restrict w)
{
    { /* 7: 2 inputs of a body */
        const double omega = v[3];
        /* r_P = r_O + A r′ */
        const double r_I2_1 = 0.5 * w->c[3];
        const double r_I2_2 = 0.5 * w->s[3];
        /* ṙ_P = ṙ_O + Ω × r */
        const double rd_I1_1 = omega * r_I2_2;
        const double rd_I2_2 = omega * r_I2_1;
        w->x2[0] = -r_I2_2; w->rd1[0] = rd_I1_1; w->rd2[0] = -rd_I2_2; w->x2[2] = r_I2_2;
        w->rd1[2] = -rd_I1_1; w->rd2[2] = rd_I2_2;
    }
    { /* 5: one input of a body */
        const double s = w->s[2], omega = v[2];
        /* r_P = r_O + A r′ */
        w->x2[1] = w->x2[2] - s;
        /* ṙ_P = ṙ_O + Ω × r */
        w->rd1[1] = w->rd1[2] + s * omega;
        w->rd2[1] = w->rd2[2] - w->c[2] * omega;
    }
}

/* pose of every body */
static void body_poses(double *restrict poses, branch_pendulum_work *restrict w)
{
    { /* 1: pose of a body */
        const double c = w->c[0], s = w->s[0];
        /* r_P = r_O + A r′ */
        mstmm_put_16(&poses[0],
            c, -s, 0.0, w->x1[0] - c,
            s, c, 0.0, w->x2[0] - s,
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0);
    }
    { /* 3: pose of a body */
        const double c = w->c[1], s = w->s[1];
        /* r_P = r_O + A r′ */
        mstmm_put_16(&poses[16],
            c, -s, 0.0, w->x1[1] - c,
            s, c, 0.0, w->x2[1] - s,
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0);
    }
    { /* 5: pose of a body */
        const double c = w->c[2], s = w->s[2];
        /* r_P = r_O + A r′ */
        mstmm_put_16(&poses[32],
            c, -s, 0.0, w->x1[2] - c,
            s, c, 0.0, w->x2[2] - s,
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0);
    }
    { /* 7: pose of a body */
        const double c = w->c[3], s = w->s[3];
        mstmm_put_16(&poses[48],
            c, -s, 0.0, -(0.5 * c),
            s, c, 0.0, -(0.5 * s),
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0);
    }
}

/* energy of the system */
static void energies(const double *restrict v, double *restrict energy, branch_pendulum_work *restrict w)
{
    { /* 1: kinetic and potential energy of a body */
        const double omega = v[0];
        /* r_P = r_O + A r′ */
        const double t = 0.5 * w->s[0];
        /* ṙ_C = ṙ_O + Ω × r */
        const double vC1 = w->rd1[0] + omega * t;
        const double vC2 = w->rd2[0] - omega * (0.5 * w->c[0]);
        /* E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C */
        const double t_2 = 0.041666666666666664 * (omega * omega) + 0.5 * (vC1 * vC1 + vC2 * vC2);
        w->E[0] = 9.81 * (w->x2[0] - t) + t_2;
    }
    { /* 3: kinetic and potential energy of a body */
        const double omega = v[1];
        /* r_P = r_O + A r′ */
        const double t = 0.5 * w->s[1];
        /* ṙ_C = ṙ_O + Ω × r */
        const double vC1 = w->rd1[1] + omega * t;
        const double vC2 = w->rd2[1] - omega * (0.5 * w->c[1]);
        /* E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C */
        const double t_2 = 0.5 * (vC1 * vC1 + vC2 * vC2) + (w->E[0] + 0.041666666666666664 * (omega * omega));
        w->E[1] = 9.81 * (w->x2[1] - t) + t_2;
    }
    { /* 5: kinetic and potential energy of a body */
        const double omega = v[2];
        /* r_P = r_O + A r′ */
        const double t = 0.5 * w->s[2];
        /* ṙ_C = ṙ_O + Ω × r */
        const double vC1 = w->rd1[2] + omega * t;
        const double vC2 = w->rd2[2] - omega * (0.5 * w->c[2]);
        /* E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C */
        const double t_2 = 0.5 * (vC1 * vC1 + vC2 * vC2) + (w->E[1] + 0.041666666666666664 * (omega * omega));
        w->E[2] = 9.81 * (w->x2[2] - t) + t_2;
    }
    { /* 7: kinetic and potential energy of a body */
        const double omega = v[3];
        /* E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C */
        energy[0] = w->E[2] + 0.041666666666666664 * (omega * omega);
    }
}

/* rates of the coordinates */
static void rates(const double *restrict v, double *restrict qd)
{
    /* 1: rates of a body's coordinates */
    qd[0] = v[0];
    /* 3: rates of a body's coordinates */
    qd[1] = v[1];
    /* 5: rates of a body's coordinates */
    qd[2] = v[2];
    /* 7: rates of a body's coordinates */
    qd[3] = v[3];
}

/* accelerations of the coordinates */
int branch_pendulum_accelerations(const double *q, const double *v, double *a, branch_pendulum_work *w)
{
    orientation(q, w);
    tips_to_root(v, w);
    root_to_tips(v, a, w);
    return !(mstmm_all_finite(4, a));
}

/* loads at the hinges, moment then force, on the root side by the tip side */
int branch_pendulum_joint_loads(const double *q, const double *v, double *a, double *loads, branch_pendulum_work *w)
{
    orientation(q, w);
    tips_to_root(v, w);
    root_to_tips(v, a, w);
    hinge_loads(loads, w);
    return !(mstmm_all_finite(4, a) && mstmm_all_finite(24, loads));
}

/* accelerations and loads at every end of every element */
int branch_pendulum_end_states(const double *q, const double *v, double *a, double *za, double *zb, branch_pendulum_work *w)
{
    orientation(q, w);
    tips_to_root(v, w);
    root_to_tips(v, a, w);
    end_states(v, a, za, zb, w);
    return !(mstmm_all_finite(4, a) && mstmm_all_finite(60, za) && mstmm_all_finite(60, zb));
}

/* pose of every body */
int branch_pendulum_poses(const double *q, double *poses, branch_pendulum_work *w)
{
    orientation(q, w);
    places_poses(w);
    body_poses(poses, w);
    return !(mstmm_all_finite(64, poses));
}

/* kinetic plus potential energy */
int branch_pendulum_energy(const double *q, const double *v, double *energy, branch_pendulum_work *w)
{
    orientation(q, w);
    places(v, w);
    energies(v, energy, w);
    return !(mstmm_all_finite(1, energy));
}

/* rates of the coordinates */
int branch_pendulum_rates(const double *v, double *qd, branch_pendulum_work *w)
{
    rates(v, qd);
    (void)w;
    return !(mstmm_all_finite(4, qd));
}

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

