/* Riccati transfer matrix method, fast form: branch-pendulum
 *
 * Generated; each block names the equations it comes from.
 * It holds for the parameters m = 1.0, a = 0.5, g = 9.81.
 */
#include "branch_pendulum.h"

#include "mstmm_solve.h"
#include "mstmm_trig.h"

#include <math.h>

/* Places in v and a, by speed */
enum { V_1 = 0, V_5 = 2, V_7 = 3 };

/* Places in loads, by end: moment, then force */
enum { LOADS_7_O = 18 };

/* Places in za and zb, by end: six numbers each */
enum {
    STATE_5_I = 24, STATE_5_O = 30, STATE_7_I1 = 36, STATE_7_I2 = 42,
    STATE_7_O = 48, STATE_HINGE_8_O = 54
};

/* Places in poses, by body: four rows of four */
enum { POSE_7 = 48 };

/* Factors that are 1, and so not written: m, 2 a */

/* Parameters of the model, in SI units, and what is made of them */
static const double m = 1.0;
static const double a_ = 0.5; /* the model's a; the name is taken here */
static const double g = 9.81;
static const double m_a = 0.5; /* m a */
static const double m_a2_by3 = 0.08333333333333333; /* m a^2/3 */
static const double m_a2_by6 = 0.041666666666666664; /* m a^2/6 */
static const double m_a2_x4_by3 = 0.3333333333333333; /* 4 m a^2/3 */
static const double m_a_g = 4.905; /* m a g */
static const double m_by2 = 0.5; /* m/2 */
static const double m_g = 9.81; /* m g */
static const double g_per_a_x3_by4 = 14.715; /* 3 g/(4 a) */
static const double per_a_x3_by4 = 1.5; /* 3/(4 a) */

/* orientation of every body */
static void orientation(const double *restrict q, branch_pendulum_work *restrict w)
{
    {
        const double angles[8] = {q[0], q[1], q[2], q[3]};
        mstmm_sincos_all(8, angles, w->sines, w->cosines);
    }
    /* 1, 3, 5, 7: orientation of a body */
    for (int i = 0; i < 4; i++) {
        /* c = cos(θ) (direction cosines of the body); s = sin(θ) */
        w->c[i] = w->cosines[i]; w->s[i] = w->sines[i];
    }
}

/* Riccati recursion, from the tips to the root */
static void tips_to_root(const double *restrict v, branch_pendulum_work *restrict w)
{
    /* 1, 3: rigid body with no input, smooth hinge */
    for (int i = 0; i < 2; i++) {
        const double c = w->c[i], s = w->s[i], omega = v[i];
        /* w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body) */
        const double w2 = omega * omega;
        /* h = A h′, A = R₃(c, s) (first moment of mass about O) */
        const double t = m_a * c;
        const double IA13 = m_a * s;
        /* pA = p, p = (−ω² h − m g, −h × g) (balance about the output end: Riccati paper (4), (30)) */
        const double pA1 = w2 * t;
        const double pA2 = m_g + w2 * IA13;
        /* Pb = IA₂₂⁻¹ (−[IA₂₁, pA_Ω]) (Hᵀ λ = τ at the hinge: Riccati paper (24), completed) */
        const double t_2 = per_a_x3_by4 * s;
        const double Pb12 = per_a_x3_by4 * c;
        const double Pb13 = g_per_a_x3_by4 * c;
        w->P11[i] = -t_2; w->P12[i] = Pb12; w->b[i] = Pb13;
        /* IAh = [IA₁₁ + IA₁₂ P, 0; 0, 0] (Hᵀ λ = τ at the hinge: Riccati paper (29), completed) */
        w->IAh11[i] = m - IA13 * t_2;
        w->IAh12[i] = IA13 * Pb12;
        w->IAh22[i] = m - t * Pb12;
        /* pAh = (pA_r + IA₁₂ b, 0) (Hᵀ λ = τ at the hinge: Riccati paper (30), completed) */
        w->pAh1[i] = pA1 + IA13 * Pb13;
        w->pAh2[i] = pA2 - t * Pb13;
    }
    { /* 5: rigid body with one input, smooth hinge */
        const double c = w->c[2], s = w->s[2], omega = v[V_5], IA_I1_11 = w->IAh11[1];
        const double IA_I1_12 = w->IAh12[1], IA_I1_22 = w->IAh22[1];
        /* w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body) */
        const double w2 = omega * omega;
        /* h = A h′, A = R₃(c, s) (first moment of mass about O) */
        const double t = m_a * c;
        const double t_2 = m_a * s;
        /* g₁ = −ω² r₁ (Riccati paper (14): acceleration of a point of a rigid body) */
        const double g_I1_1 = c * w2;
        const double g_I1_2 = s * w2;
        /* T₁ = IA₁ X(r₁) */
        const double T_I1_13 = s * IA_I1_11 - c * IA_I1_12;
        const double T_I1_23 = s * IA_I1_12 - c * IA_I1_22;
        /* y₁ = pA₁ + IA₁ (g₁, 0) */
        const double y_I1_1 = IA_I1_12 * g_I1_2 + (w->pAh1[1] + IA_I1_11 * g_I1_1);
        const double y_I1_2 = IA_I1_22 * g_I1_2 + (w->pAh2[1] + IA_I1_12 * g_I1_1);
        /* IA = M + X(r₁)ᵀ T₁, M = [m 𝟏, ~hᵀ; ~h, J] (balance about the output end: Riccati paper (4), (29)) */
        const double IA11 = m + IA_I1_11;
        const double IA13 = t_2 + T_I1_13;
        const double IA22 = m + IA_I1_22;
        const double IA23 = T_I1_23 - t;
        const double IA33 = m_a2_x4_by3 + s * T_I1_13 - c * T_I1_23;
        /* pA = p + X(r₁)ᵀ y₁, p = (−ω² h − m g, −h × g) (balance about the output end: Riccati paper (4), (30)) */
        const double pA1 = y_I1_1 + w2 * t;
        const double pA2 = w2 * t_2 + (y_I1_2 + m_g);
        /* Pb = IA₂₂⁻¹ (−[IA₂₁, pA_Ω]) (Hᵀ λ = τ at the hinge: Riccati paper (24), completed) */
        const double t_3 = 1.0 / IA33;
        const double t_4 = IA13 * t_3;
        const double Pb12 = (t - T_I1_23) * t_3;
        const double Pb13 = (m_a_g * c - (s * y_I1_1 - c * y_I1_2)) * t_3;
        w->P11[2] = -t_4; w->P12[2] = Pb12; w->b[2] = Pb13;
        /* IAh = [IA₁₁ + IA₁₂ P, 0; 0, 0] (Hᵀ λ = τ at the hinge: Riccati paper (29), completed) */
        w->IAh11[2] = IA11 - IA13 * t_4;
        w->IAh12[2] = IA_I1_12 + IA13 * Pb12;
        w->IAh22[2] = IA22 + IA23 * Pb12;
        /* pAh = (pA_r + IA₁₂ b, 0) (Hᵀ λ = τ at the hinge: Riccati paper (30), completed) */
        w->pAh1[2] = pA1 + IA13 * Pb13;
        w->pAh2[2] = pA2 + IA23 * Pb13;
    }
    { /* 7: rigid body with two inputs, smooth hinge */
        const double omega = v[V_7], IA_I1_11 = w->IAh11[0], IA_I1_12 = w->IAh12[0];
        const double IA_I1_22 = w->IAh22[0], IA_I2_11 = w->IAh11[2], IA_I2_12 = w->IAh12[2];
        const double IA_I2_22 = w->IAh22[2];
        /* w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body) */
        const double w2 = omega * omega;
        /* r₁ = A r′₁, A = R₃(c, s) (r_P = r_O + A r′) */
        const double r_I2_1 = a_ * w->c[3];
        const double r_I2_2 = a_ * w->s[3];
        /* g₁ = −ω² r₁ (Riccati paper (14): acceleration of a point of a rigid body) */
        const double g_I1_1 = w2 * r_I2_1;
        const double g_I1_2 = w2 * r_I2_2;
        /* T₁ = IA₁ X(r₁) */
        const double T_I1_13 = IA_I1_11 * r_I2_2 - IA_I1_12 * r_I2_1;
        const double T_I1_23 = IA_I1_12 * r_I2_2 - IA_I1_22 * r_I2_1;
        /* y₁ = pA₁ + IA₁ (g₁, 0) */
        const double y_I1_1 = IA_I1_12 * g_I1_2 + (w->pAh1[0] + IA_I1_11 * g_I1_1);
        const double y_I1_2 = IA_I1_22 * g_I1_2 + (w->pAh2[0] + IA_I1_12 * g_I1_1);
        /* T₂ = IA₂ X(r₂) */
        const double T_I2_13 = IA_I2_12 * r_I2_1 - IA_I2_11 * r_I2_2;
        const double T_I2_23 = IA_I2_22 * r_I2_1 - IA_I2_12 * r_I2_2;
        /* y₂ = pA₂ + IA₂ (g₂, 0) */
        const double y_I2_1 = w->pAh1[2] - IA_I2_11 * g_I1_1 - IA_I2_12 * g_I1_2;
        const double y_I2_2 = w->pAh2[2] - IA_I2_12 * g_I1_1 - IA_I2_22 * g_I1_2;
        /* IA = M + X(r₁)ᵀ T₁ + X(r₂)ᵀ T₂, M = [m 𝟏, ~hᵀ; ~h, J] (balance about the output end: Riccati paper (4), (29)) */
        const double IA13 = T_I1_13 + T_I2_13;
        const double IA23 = T_I1_23 + T_I2_23;
        const double t = r_I2_2 * T_I1_13 + (m_a2_by3 + r_I2_1 * T_I2_23) - r_I2_1 * T_I1_23;
        const double IA33 = t - r_I2_2 * T_I2_13;
        /* pA = p + X(r₁)ᵀ y₁ + X(r₂)ᵀ y₂, p = (−ω² h − m g, −h × g) (balance about the output end: Riccati paper (4), (30)) */
        const double pA1 = y_I1_1 + y_I2_1;
        const double pA2 = m_g + (y_I1_2 + y_I2_2);
        /* Pb = IA₂₂⁻¹ (−[IA₂₁, pA_Ω]) (Hᵀ λ = τ at the hinge: Riccati paper (24), completed) */
        const double t_2 = r_I2_2 * y_I2_1 - (r_I2_1 * y_I2_2 + r_I2_2 * y_I1_1 - r_I2_1 * y_I1_2);
        const double Pb13 = t_2 * (1.0 / IA33);
        w->b[3] = Pb13;
        /* pAh = (pA_r + IA₁₂ b, 0) (Hᵀ λ = τ at the hinge: Riccati paper (30), completed) */
        w->pAh1[3] = pA1 + IA13 * Pb13;
        w->pAh2[3] = pA2 + IA23 * Pb13;
    }
}

/* back-substitution, from the root to the tips */
static void root_to_tips(const double *restrict v, double *restrict a, branch_pendulum_work *restrict w)
{
    { /* 7: accelerations of a body with two inputs */
        const double b = w->b[3], omega = v[V_7];
        /* w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body) */
        const double w2 = omega * omega;
        /* r₁ = A r′₁, A = R₃(c, s) (r_P = r_O + A r′) */
        const double r_I2_1 = a_ * w->c[3];
        const double r_I2_2 = a_ * w->s[3];
        /* r̈₁ = r̈ + Ω̇ × r₁ − ω² r₁ (Riccati paper (14): acceleration of a point of a rigid body) */
        const double rdd_I1_1 = b * r_I2_2 + w2 * r_I2_1;
        const double t = b * r_I2_1;
        const double t_2 = w2 * r_I2_2;
        a[V_7] = b; w->rdd1[0] = rdd_I1_1;
        w->rdd2[0] = t_2 - t;
        w->rdd1[2] = -rdd_I1_1;
        /* r̈₂ = r̈ + Ω̇ × r₂ − ω² r₂ */
        w->rdd2[2] = t - t_2;
    }
    { /* 5: accelerations of a body with one input */
        const double c = w->c[2], s = w->s[2], rdd1 = w->rdd1[2], rdd2 = w->rdd2[2];
        const double omega = v[V_5];
        /* Ω̇ = P r̈ + b (back-substitution: Riccati paper (33), completed) */
        const double Omegad = w->P12[2] * rdd2 + (w->b[2] + w->P11[2] * rdd1);
        /* w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body) */
        const double w2 = omega * omega;
        a[V_5] = Omegad;
        /* r̈₁ = r̈ + Ω̇ × r₁ − ω² r₁ */
        w->rdd1[1] = c * w2 + (rdd1 + s * Omegad);
        w->rdd2[1] = rdd2 + s * w2 - c * Omegad;
    }
    /* 3, 1: accelerations of a body with no input */
    for (int i = 0; i < 2; i++) {
        /* Ω̇ = P r̈ + b (back-substitution: Riccati paper (33), completed) */
        const double t = w->P12[1 - i] * w->rdd2[1 - i] + (w->b[1 - i] + w->P11[1 - i] * w->rdd1[1 - i]);
        a[1 - i] = t;
    }
}

/* rates of the coordinates */
static void rates(const double *restrict v, double *restrict qd)
{
    /* 1, 3, 5, 7: rates of a body's coordinates */
    for (int i = 0; i < 4; i++) {
        /* q̇ = ω (θ̇ = ω) */
        qd[i] = v[i];
    }
}

/* accelerations of the coordinates */
int branch_pendulum_accelerations(const double *q, const double *v, double *a, branch_pendulum_work *w)
{
    orientation(q, w);
    tips_to_root(v, w);
    root_to_tips(v, a, w);
    return !(mstmm_all_finite(4, a));
}

/* rates of the coordinates */
int branch_pendulum_rates(const double *v, double *qd, branch_pendulum_work *w)
{
    rates(v, qd);
    (void)w;
    return !(mstmm_all_finite(4, qd));
}

/* Results that the motion does not need, such as loads: left out where only it is asked for */
#ifndef MSTMM_MOTION_ALONE
#include "branch_pendulum_outputs.h"
#endif
