/* Riccati transfer matrix method, fast form: branch-pendulum
 *
 * Generated: results that the motion does not need, such as loads. branch_pendulum.c includes it, whose
 * constants and functions it uses.
 */

/* loads at every hinge */
static void hinge_loads(double *restrict loads, branch_pendulum_work *restrict w)
{
    /* 1, 3, 5: loads at a hinge */
    for (int i = 0; i < 3; i++) {
        const double IAh12 = w->IAh12[i], rdd1 = w->rdd1[i], rdd2 = w->rdd2[i];
        /* λ = IAh (r̈, 0) + pAh (Riccati paper (31): z_a = S z_b + e) */
        const double lam1 = IAh12 * rdd2 + (w->pAh1[i] + w->IAh11[i] * rdd1);
        const double lam2 = w->IAh22[i] * rdd2 + (w->pAh2[i] + IAh12 * rdd1);
        mstmm_put_6(&loads[6 * i], 0.0, 0.0, 0.0, -lam1, -lam2, 0.0);
    }
    /* 7: loads at a hinge */
    /* (m, q) = (0, 0, λ_Ω, −λ_r, 0) (Riccati paper (2)) */
    mstmm_put_6(&loads[LOADS_7_O], 0.0, 0.0, 0.0, -w->pAh1[3], -w->pAh2[3], 0.0);
}

/* accelerations and loads at every end of every element */
static void end_states(const double *restrict v, double *restrict a, double *restrict za, double *restrict zb, branch_pendulum_work *restrict w)
{
    /* 1, 3: acceleration of an end, loads at both ends of a hinge, loads at a free end */
    for (int i = 0; i < 2; i++) {
        const double c = w->c[i], s = w->s[i], omega = v[i], a_2 = a[i], rdd1 = w->rdd1[i];
        const double rdd2 = w->rdd2[i];
        /* w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body) */
        const double w2 = omega * omega;
        const double IAh12 = w->IAh12[i];
        /* λ = IAh (r̈, 0) + pAh (Riccati paper (31): z_a = S z_b + e) */
        const double lam1 = rdd2 * IAh12 + (w->pAh1[i] + rdd1 * w->IAh11[i]);
        const double lam2 = rdd2 * w->IAh22[i] + (w->pAh2[i] + rdd1 * IAh12);
        /* (m, q) = (0, 0, λ_Ω, −λ_r, 0) (Riccati paper (2)) */
        const double t = -lam1;
        const double t_2 = -lam2;
        /* z_b = (r̈ + ω̇ × r − ω² r, 0, 0, 0, ω̇) (Riccati paper (14): acceleration of a point of a rigid body) */
        mstmm_put_6(&zb[12 * i],
            c * w2 + (rdd1 + s * a_2), rdd2 + s * w2 - c * a_2, 0.0, 0.0, 0.0, a_2);
        mstmm_put_6(&zb[6 + 12 * i], rdd1, rdd2, 0.0, 0.0, 0.0, a_2);
        mstmm_put_6(&za[6 + 12 * i], 0.0, 0.0, 0.0, t, t_2, 0.0);
        mstmm_put_6(&za[36 - 12 * i], 0.0, 0.0, 0.0, t, t_2, 0.0);
        mstmm_put_6(&za[12 * i], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    }
    { /* 5: acceleration of an end, loads at both ends of a hinge */
        const double c = w->c[2], s = w->s[2], omega = v[V_5], a_2 = a[V_5], rdd1 = w->rdd1[2];
        const double rdd2 = w->rdd2[2];
        /* w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body) */
        const double w2 = omega * omega;
        const double IAh12 = w->IAh12[2];
        /* λ = IAh (r̈, 0) + pAh (Riccati paper (31): z_a = S z_b + e) */
        const double lam1 = rdd2 * IAh12 + (w->pAh1[2] + rdd1 * w->IAh11[2]);
        const double lam2 = rdd2 * w->IAh22[2] + (w->pAh2[2] + rdd1 * IAh12);
        /* (m, q) = (0, 0, λ_Ω, −λ_r, 0) (Riccati paper (2)) */
        const double t = -lam1;
        const double t_2 = -lam2;
        /* z_b = (r̈ + ω̇ × r − ω² r, 0, 0, 0, ω̇) (Riccati paper (14): acceleration of a point of a rigid body) */
        mstmm_put_6(&zb[STATE_5_I],
            c * w2 + (rdd1 + s * a_2), rdd2 + s * w2 - c * a_2, 0.0, 0.0, 0.0, a_2);
        mstmm_put_6(&zb[STATE_5_O], rdd1, rdd2, 0.0, 0.0, 0.0, a_2);
        mstmm_put_6(&za[STATE_5_O], 0.0, 0.0, 0.0, t, t_2, 0.0);
        mstmm_put_6(&za[STATE_7_I2], 0.0, 0.0, 0.0, t, t_2, 0.0);
    }
    { /* 7: acceleration of an end, loads at both ends of a hinge, acceleration of the ground */
        const double omega = v[V_7], a_2 = a[V_7];
        /* w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body) */
        const double w2 = omega * omega;
        /* r = A r′, A = R₃(c, s) */
        const double r1 = a_ * w->c[3];
        const double r2 = a_ * w->s[3];
        /* z_b = (r̈ + ω̇ × r − ω² r, 0, 0, 0, ω̇) (Riccati paper (14): acceleration of a point of a rigid body) */
        const double zb1 = a_2 * r2 + w2 * r1;
        const double t = a_2 * r1;
        const double t_2 = w2 * r2;
        /* (m, q) = (0, 0, λ_Ω, −λ_r, 0) (Riccati paper (2)) */
        const double t_3 = -w->pAh1[3];
        const double t_4 = -w->pAh2[3];
        /* z_b = (r̈ + ω̇ × r − ω² r, 0, 0, 0, ω̇) (Riccati paper (14): acceleration of a point of a rigid body) */
        mstmm_put_6(&zb[STATE_7_I1], zb1, t_2 - t, 0.0, 0.0, 0.0, a_2);
        mstmm_put_6(&zb[STATE_7_I2], -zb1, t - t_2, 0.0, 0.0, 0.0, a_2);
        mstmm_put_6(&zb[STATE_7_O], 0.0, 0.0, 0.0, 0.0, 0.0, a_2);
        mstmm_put_6(&za[STATE_7_O], 0.0, 0.0, 0.0, t_3, t_4, 0.0);
        mstmm_put_6(&za[STATE_HINGE_8_O], 0.0, 0.0, 0.0, t_3, t_4, 0.0);
        mstmm_put_6(&zb[STATE_HINGE_8_O], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    }
}

/* position of every hinge */
static void places_poses(branch_pendulum_work *restrict w)
{
    { /* 7: two inputs of a body */
        /* r₁ = A r′₁, A = R₃(c, s) (r_P = r_O + A r′) */
        const double r_I2_1 = a_ * w->c[3];
        const double r_I2_2 = a_ * w->s[3];
        w->x1[0] = -r_I2_1; w->x2[0] = -r_I2_2; w->x1[2] = r_I2_1; w->x2[2] = r_I2_2;
    }
    /* 5: one input of a body */
    /* x₁ = x + r₁ (r_P = r_O + A r′) */
    w->x1[1] = w->x1[2] - w->c[2];
    w->x2[1] = w->x2[2] - w->s[2];
}

/* position of every hinge */
static void places(const double *restrict v, branch_pendulum_work *restrict w)
{
    { /* 7: two inputs of a body */
        const double omega = v[V_7];
        /* r₁ = A r′₁, A = R₃(c, s) (r_P = r_O + A r′) */
        const double r_I2_1 = a_ * w->c[3];
        const double r_I2_2 = a_ * w->s[3];
        /* ṙ₁ = ṙ + ω × r₁ (ṙ_P = ṙ_O + Ω × r) */
        const double rd_I1_1 = omega * r_I2_2;
        const double rd_I2_2 = omega * r_I2_1;
        w->x2[0] = -r_I2_2; w->rd1[0] = rd_I1_1; w->rd2[0] = -rd_I2_2; w->x2[2] = r_I2_2;
        w->rd1[2] = -rd_I1_1; w->rd2[2] = rd_I2_2;
    }
    { /* 5: one input of a body */
        const double s = w->s[2], omega = v[V_5];
        /* x₁ = x + r₁ (r_P = r_O + A r′) */
        w->x2[1] = w->x2[2] - s;
        /* ṙ₁ = ṙ + ω × r₁ (ṙ_P = ṙ_O + Ω × r) */
        w->rd1[1] = w->rd1[2] + s * omega;
        w->rd2[1] = w->rd2[2] - w->c[2] * omega;
    }
}

/* pose of every body */
static void body_poses(double *restrict poses, branch_pendulum_work *restrict w)
{
    /* 1, 3, 5: pose of a body */
    for (int i = 0; i < 3; i++) {
        const double c = w->c[i], s = w->s[i];
        /* o = x + A o_b, A = R₃(c, s) (r_P = r_O + A r′) */
        mstmm_put_16(&poses[16 * i],
            c, -s, 0.0, w->x1[i] - c,
            s, c, 0.0, w->x2[i] - s,
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0);
    }
    { /* 7: pose of a body */
        /* pose = [A, 0, o; 0, 1, 0; 0, 0, 1], A = R₃(c, s) (body to inertial axes) */
        const double c = w->c[3], s = w->s[3];
        mstmm_put_16(&poses[POSE_7],
            c, -s, 0.0, -(a_ * c),
            s, c, 0.0, -(a_ * s),
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0);
    }
}

/* energy of the system */
static void energies(const double *restrict v, double *restrict energy, branch_pendulum_work *restrict w)
{
    { /* 1: kinetic and potential energy of a body */
        const double omega = v[V_1];
        /* r_C = A r′_C, A = R₃(c, s) (r_P = r_O + A r′) */
        const double t = a_ * w->s[0];
        /* v_C = ṙ + ω × r_C (ṙ_C = ṙ_O + Ω × r) */
        const double vC1 = w->rd1[0] + omega * t;
        const double vC2 = w->rd2[0] - omega * (a_ * w->c[0]);
        /* E = E₀ + ½ (m v_Cᵀ v_C + ωᵀ J_C ω) − m gᵀ (x + r_C) (E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C) */
        const double t_2 = m_a2_by6 * (omega * omega) + m_by2 * (vC1 * vC1 + vC2 * vC2);
        w->E[0] = g * (w->x2[0] - t) + t_2;
    }
    /* 3, 5: kinetic and potential energy of a body */
    for (int i = 0; i < 2; i++) {
        const double omega = v[1 + i];
        /* r_C = A r′_C, A = R₃(c, s) (r_P = r_O + A r′) */
        const double t = a_ * w->s[1 + i];
        /* v_C = ṙ + ω × r_C (ṙ_C = ṙ_O + Ω × r) */
        const double vC1 = w->rd1[1 + i] + omega * t;
        const double vC2 = w->rd2[1 + i] - omega * (a_ * w->c[1 + i]);
        /* E = E₀ + ½ (m v_Cᵀ v_C + ωᵀ J_C ω) − m gᵀ (x + r_C) (E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C) */
        const double t_2 = m_by2 * (vC1 * vC1 + vC2 * vC2) + (w->E[i] + m_a2_by6 * (omega * omega));
        w->E[1 + i] = g * (w->x2[1 + i] - t) + t_2;
    }
    { /* 7: kinetic and potential energy of a body */
        const double omega = v[V_7];
        /* E = E₀ + ½ (m v_Cᵀ v_C + ωᵀ J_C ω) − m gᵀ (x + r_C) (E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C) */
        energy[0] = w->E[2] + m_a2_by6 * (omega * omega);
    }
}

/* loads at the hinges, moment then force, that the tip side exerts on the root side */
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
