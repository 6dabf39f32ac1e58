"""Riccati transfer matrix method, fast form: branch-pendulum

Generated; each block names the equations it comes from. Needs NumPy alone. All arguments
may carry leading batch axes; SI units, radians.
accelerations: 190 (72 additions, 2 divisions, 104 multiplications, 4 negations, 8 sines and cosines) operations
joint_loads: 222 (84 additions, 2 divisions, 116 multiplications, 12 negations, 8 sines and cosines) operations
end_states: 260 (99 additions, 2 divisions, 138 multiplications, 13 negations, 8 sines and cosines) operations
poses: 28 (8 additions, 4 multiplications, 8 negations, 8 sines and cosines) operations
energy: 73 (24 additions, 38 multiplications, 3 negations, 8 sines and cosines) operations
rates: 0 operations
"""

import numpy as np

SIZES = {
    "q": 4,
    "v": 4,
    "a": 4,
    "loads": 24,
    "za": 60,
    "zb": 60,
    "poses": 64,
    "energy": 1,
    "qd": 4,
}

# Places in v and a, by speed
V_1 = 0
V_5 = 2
V_7 = 3

# Places in loads, by end: moment, then force
LOADS_7_O = 18

# Places in za and zb, by end: six numbers each
STATE_5_I = 24
STATE_5_O = 30
STATE_7_I1 = 36
STATE_7_I2 = 42
STATE_7_O = 48
STATE_HINGE_8_O = 54

# Places in poses, by body: four rows of four
POSE_7 = 48

# Factors that are 1, and so not written: m, 2 a

# Parameters of the model, in SI units, and what is made of them
m = 1.0
a_ = 0.5  # the model's a; the name is taken here
g = 9.81
m_a = 0.5  # m a
m_a2_by3 = 0.08333333333333333  # m a^2/3
m_a2_by6 = 0.041666666666666664  # m a^2/6
m_a2_x4_by3 = 0.3333333333333333  # 4 m a^2/3
m_a_g = 4.905  # m a g
m_by2 = 0.5  # m/2
m_g = 9.81  # m g
g_per_a_x3_by4 = 14.715  # 3 g/(4 a)
per_a_x3_by4 = 1.5  # 3/(4 a)


class Work:
    """Everything that one step hands to another, for a batch of states."""

    def __init__(self, batch):
        self.c = np.zeros((*batch, 4))
        self.s = np.zeros((*batch, 4))
        self.P11 = np.zeros((*batch, 4))
        self.P12 = np.zeros((*batch, 4))
        self.b = np.zeros((*batch, 4))
        self.IAh11 = np.zeros((*batch, 4))
        self.IAh12 = np.zeros((*batch, 4))
        self.IAh22 = np.zeros((*batch, 4))
        self.pAh1 = np.zeros((*batch, 4))
        self.pAh2 = np.zeros((*batch, 4))
        self.rdd1 = np.zeros((*batch, 4))
        self.rdd2 = np.zeros((*batch, 4))
        self.x1 = np.zeros((*batch, 4))
        self.x2 = np.zeros((*batch, 4))
        self.rd1 = np.zeros((*batch, 4))
        self.rd2 = np.zeros((*batch, 4))
        self.E = np.zeros((*batch, 4))


def _orientation(q, w):
    # orientation of every body
    # 1, 3, 5, 7: orientation of a body
    for i in range(4):
        # c = cos(θ) (direction cosines of the body); s = sin(θ)
        theta = q[..., i]
        w.c[..., i] = np.cos(theta)
        w.s[..., i] = np.sin(theta)


def _tips_to_root(v, w):
    # Riccati recursion, from the tips to the root
    # 1, 3: rigid body with no input, smooth hinge
    for i in range(2):
        c = w.c[..., i]
        s = w.s[..., i]
        omega = v[..., i]
        # w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body)
        w2 = omega * omega
        # h = A h′, A = R₃(c, s) (first moment of mass about O)
        t = m_a * c
        IA13 = m_a * s
        # pA = p, p = (−ω² h − m g, −h × g) (balance about the output end: Riccati paper (4), (30))
        pA1 = w2 * t
        pA2 = m_g + w2 * IA13
        # Pb = IA₂₂⁻¹ (−[IA₂₁, pA_Ω]) (Hᵀ λ = τ at the hinge: Riccati paper (24), completed)
        t_2 = per_a_x3_by4 * s
        Pb12 = per_a_x3_by4 * c
        Pb13 = g_per_a_x3_by4 * c
        w.P11[..., i] = -t_2
        w.P12[..., i] = Pb12
        w.b[..., i] = Pb13
        # IAh = [IA₁₁ + IA₁₂ P, 0; 0, 0] (Hᵀ λ = τ at the hinge: Riccati paper (29), completed)
        w.IAh11[..., i] = m - IA13 * t_2
        w.IAh12[..., i] = IA13 * Pb12
        w.IAh22[..., i] = m - t * Pb12
        # pAh = (pA_r + IA₁₂ b, 0) (Hᵀ λ = τ at the hinge: Riccati paper (30), completed)
        w.pAh1[..., i] = pA1 + IA13 * Pb13
        w.pAh2[..., i] = pA2 - t * Pb13
    # 5: rigid body with one input, smooth hinge
    c = w.c[..., 2]
    s = w.s[..., 2]
    omega = v[..., V_5]
    IA_I1_11 = w.IAh11[..., 1]
    IA_I1_12 = w.IAh12[..., 1]
    IA_I1_22 = w.IAh22[..., 1]
    # w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body)
    w2 = omega * omega
    # h = A h′, A = R₃(c, s) (first moment of mass about O)
    t = m_a * c
    t_2 = m_a * s
    # g₁ = −ω² r₁ (Riccati paper (14): acceleration of a point of a rigid body)
    g_I1_1 = c * w2
    g_I1_2 = s * w2
    # T₁ = IA₁ X(r₁)
    T_I1_13 = s * IA_I1_11 - c * IA_I1_12
    T_I1_23 = s * IA_I1_12 - c * IA_I1_22
    # y₁ = pA₁ + IA₁ (g₁, 0)
    y_I1_1 = IA_I1_12 * g_I1_2 + (w.pAh1[..., 1] + IA_I1_11 * g_I1_1)
    y_I1_2 = IA_I1_22 * g_I1_2 + (w.pAh2[..., 1] + IA_I1_12 * g_I1_1)
    # IA = M + X(r₁)ᵀ T₁, M = [m 𝟏, ~hᵀ; ~h, J] (balance about the output end: Riccati paper (4), (29))
    IA11 = m + IA_I1_11
    IA13 = t_2 + T_I1_13
    IA22 = m + IA_I1_22
    IA23 = T_I1_23 - t
    IA33 = m_a2_x4_by3 + s * T_I1_13 - c * T_I1_23
    # pA = p + X(r₁)ᵀ y₁, p = (−ω² h − m g, −h × g) (balance about the output end: Riccati paper (4), (30))
    pA1 = y_I1_1 + w2 * t
    pA2 = w2 * t_2 + (y_I1_2 + m_g)
    # Pb = IA₂₂⁻¹ (−[IA₂₁, pA_Ω]) (Hᵀ λ = τ at the hinge: Riccati paper (24), completed)
    t_3 = 1.0 / IA33
    t_4 = IA13 * t_3
    Pb12 = (t - T_I1_23) * t_3
    Pb13 = (m_a_g * c - (s * y_I1_1 - c * y_I1_2)) * t_3
    w.P11[..., 2] = -t_4
    w.P12[..., 2] = Pb12
    w.b[..., 2] = Pb13
    # IAh = [IA₁₁ + IA₁₂ P, 0; 0, 0] (Hᵀ λ = τ at the hinge: Riccati paper (29), completed)
    w.IAh11[..., 2] = IA11 - IA13 * t_4
    w.IAh12[..., 2] = IA_I1_12 + IA13 * Pb12
    w.IAh22[..., 2] = IA22 + IA23 * Pb12
    # pAh = (pA_r + IA₁₂ b, 0) (Hᵀ λ = τ at the hinge: Riccati paper (30), completed)
    w.pAh1[..., 2] = pA1 + IA13 * Pb13
    w.pAh2[..., 2] = pA2 + IA23 * Pb13
    # 7: rigid body with two inputs, smooth hinge
    omega = v[..., V_7]
    IA_I1_11 = w.IAh11[..., 0]
    IA_I1_12 = w.IAh12[..., 0]
    IA_I1_22 = w.IAh22[..., 0]
    IA_I2_11 = w.IAh11[..., 2]
    IA_I2_12 = w.IAh12[..., 2]
    IA_I2_22 = w.IAh22[..., 2]
    # w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body)
    w2 = omega * omega
    # r₁ = A r′₁, A = R₃(c, s) (r_P = r_O + A r′)
    r_I2_1 = a_ * w.c[..., 3]
    r_I2_2 = a_ * w.s[..., 3]
    # g₁ = −ω² r₁ (Riccati paper (14): acceleration of a point of a rigid body)
    g_I1_1 = w2 * r_I2_1
    g_I1_2 = w2 * r_I2_2
    # T₁ = IA₁ X(r₁)
    T_I1_13 = IA_I1_11 * r_I2_2 - IA_I1_12 * r_I2_1
    T_I1_23 = IA_I1_12 * r_I2_2 - IA_I1_22 * r_I2_1
    # y₁ = pA₁ + IA₁ (g₁, 0)
    y_I1_1 = IA_I1_12 * g_I1_2 + (w.pAh1[..., 0] + IA_I1_11 * g_I1_1)
    y_I1_2 = IA_I1_22 * g_I1_2 + (w.pAh2[..., 0] + IA_I1_12 * g_I1_1)
    # T₂ = IA₂ X(r₂)
    T_I2_13 = IA_I2_12 * r_I2_1 - IA_I2_11 * r_I2_2
    T_I2_23 = IA_I2_22 * r_I2_1 - IA_I2_12 * r_I2_2
    # y₂ = pA₂ + IA₂ (g₂, 0)
    y_I2_1 = w.pAh1[..., 2] - IA_I2_11 * g_I1_1 - IA_I2_12 * g_I1_2
    y_I2_2 = w.pAh2[..., 2] - IA_I2_12 * g_I1_1 - IA_I2_22 * g_I1_2
    # IA = M + X(r₁)ᵀ T₁ + X(r₂)ᵀ T₂, M = [m 𝟏, ~hᵀ; ~h, J] (balance about the output end: Riccati paper (4), (29))
    IA13 = T_I1_13 + T_I2_13
    IA23 = T_I1_23 + T_I2_23
    t = r_I2_2 * T_I1_13 + (m_a2_by3 + r_I2_1 * T_I2_23) - r_I2_1 * T_I1_23
    IA33 = t - r_I2_2 * T_I2_13
    # pA = p + X(r₁)ᵀ y₁ + X(r₂)ᵀ y₂, p = (−ω² h − m g, −h × g) (balance about the output end: Riccati paper (4), (30))
    pA1 = y_I1_1 + y_I2_1
    pA2 = m_g + (y_I1_2 + y_I2_2)
    # Pb = IA₂₂⁻¹ (−[IA₂₁, pA_Ω]) (Hᵀ λ = τ at the hinge: Riccati paper (24), completed)
    t_2 = r_I2_2 * y_I2_1 - (r_I2_1 * y_I2_2 + r_I2_2 * y_I1_1 - r_I2_1 * y_I1_2)
    Pb13 = t_2 * (1.0 / IA33)
    w.b[..., 3] = Pb13
    # pAh = (pA_r + IA₁₂ b, 0) (Hᵀ λ = τ at the hinge: Riccati paper (30), completed)
    w.pAh1[..., 3] = pA1 + IA13 * Pb13
    w.pAh2[..., 3] = pA2 + IA23 * Pb13


def _root_to_tips(v, a, w):
    # back-substitution, from the root to the tips
    # 7: accelerations of a body with two inputs
    b = w.b[..., 3]
    omega = v[..., V_7]
    # w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body)
    w2 = omega * omega
    # r₁ = A r′₁, A = R₃(c, s) (r_P = r_O + A r′)
    r_I2_1 = a_ * w.c[..., 3]
    r_I2_2 = a_ * w.s[..., 3]
    # r̈₁ = r̈ + Ω̇ × r₁ − ω² r₁ (Riccati paper (14): acceleration of a point of a rigid body)
    rdd_I1_1 = b * r_I2_2 + w2 * r_I2_1
    t = b * r_I2_1
    t_2 = w2 * r_I2_2
    a[..., V_7] = b
    w.rdd1[..., 0] = rdd_I1_1
    w.rdd2[..., 0] = t_2 - t
    w.rdd1[..., 2] = -rdd_I1_1
    # r̈₂ = r̈ + Ω̇ × r₂ − ω² r₂
    w.rdd2[..., 2] = t - t_2
    # 5: accelerations of a body with one input
    c = w.c[..., 2]
    s = w.s[..., 2]
    rdd1 = w.rdd1[..., 2]
    rdd2 = w.rdd2[..., 2]
    omega = v[..., V_5]
    # Ω̇ = P r̈ + b (back-substitution: Riccati paper (33), completed)
    Omegad = w.P12[..., 2] * rdd2 + (w.b[..., 2] + w.P11[..., 2] * rdd1)
    # w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body)
    w2 = omega * omega
    a[..., V_5] = Omegad
    # r̈₁ = r̈ + Ω̇ × r₁ − ω² r₁
    w.rdd1[..., 1] = c * w2 + (rdd1 + s * Omegad)
    w.rdd2[..., 1] = rdd2 + s * w2 - c * Omegad
    # 3, 1: accelerations of a body with no input
    for i in range(2):
        # Ω̇ = P r̈ + b (back-substitution: Riccati paper (33), completed)
        t = w.P12[..., 1 - i] * w.rdd2[..., 1 - i] + (w.b[..., 1 - i] + w.P11[..., 1 - i] * w.rdd1[..., 1 - i])
        a[..., 1 - i] = t


def _hinge_loads(loads, w):
    # loads at every hinge
    # 1, 3, 5: loads at a hinge
    for i in range(3):
        IAh12 = w.IAh12[..., i]
        rdd1 = w.rdd1[..., i]
        rdd2 = w.rdd2[..., i]
        # λ = IAh (r̈, 0) + pAh (Riccati paper (31): z_a = S z_b + e)
        lam1 = IAh12 * rdd2 + (w.pAh1[..., i] + w.IAh11[..., i] * rdd1)
        lam2 = w.IAh22[..., i] * rdd2 + (w.pAh2[..., i] + IAh12 * rdd1)
        loads[..., 6 * i] = 0.0
        loads[..., 1 + 6 * i] = 0.0
        loads[..., 2 + 6 * i] = 0.0
        loads[..., 3 + 6 * i] = -lam1
        loads[..., 4 + 6 * i] = -lam2
        loads[..., 5 + 6 * i] = 0.0
    # 7: loads at a hinge
    # (m, q) = (0, 0, λ_Ω, −λ_r, 0) (Riccati paper (2))
    loads[..., LOADS_7_O] = 0.0
    loads[..., LOADS_7_O + 1] = 0.0
    loads[..., LOADS_7_O + 2] = 0.0
    loads[..., LOADS_7_O + 3] = -w.pAh1[..., 3]
    loads[..., LOADS_7_O + 4] = -w.pAh2[..., 3]
    loads[..., LOADS_7_O + 5] = 0.0


def _end_states(v, a, za, zb, w):
    # accelerations and loads at every end of every element
    # 1, 3: acceleration of an end, loads at both ends of a hinge, loads at a free end
    for i in range(2):
        c = w.c[..., i]
        s = w.s[..., i]
        omega = v[..., i]
        a_2 = a[..., i]
        rdd1 = w.rdd1[..., i]
        rdd2 = w.rdd2[..., i]
        # w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body)
        w2 = omega * omega
        IAh12 = w.IAh12[..., i]
        # λ = IAh (r̈, 0) + pAh (Riccati paper (31): z_a = S z_b + e)
        lam1 = rdd2 * IAh12 + (w.pAh1[..., i] + rdd1 * w.IAh11[..., i])
        lam2 = rdd2 * w.IAh22[..., i] + (w.pAh2[..., i] + rdd1 * IAh12)
        # (m, q) = (0, 0, λ_Ω, −λ_r, 0) (Riccati paper (2))
        t = -lam1
        t_2 = -lam2
        # z_b = (r̈ + ω̇ × r − ω² r, 0, 0, 0, ω̇) (Riccati paper (14): acceleration of a point of a rigid body)
        zb[..., 12 * i] = c * w2 + (rdd1 + s * a_2)
        zb[..., 1 + 12 * i] = rdd2 + s * w2 - c * a_2
        zb[..., 2 + 12 * i] = 0.0
        zb[..., 3 + 12 * i] = 0.0
        zb[..., 4 + 12 * i] = 0.0
        zb[..., 5 + 12 * i] = a_2
        zb[..., 6 + 12 * i] = rdd1
        zb[..., 7 + 12 * i] = rdd2
        zb[..., 8 + 12 * i] = 0.0
        zb[..., 9 + 12 * i] = 0.0
        zb[..., 10 + 12 * i] = 0.0
        zb[..., 11 + 12 * i] = a_2
        za[..., 6 + 12 * i] = 0.0
        za[..., 7 + 12 * i] = 0.0
        za[..., 8 + 12 * i] = 0.0
        za[..., 9 + 12 * i] = t
        za[..., 10 + 12 * i] = t_2
        za[..., 11 + 12 * i] = 0.0
        za[..., 36 - 12 * i] = 0.0
        za[..., 37 - 12 * i] = 0.0
        za[..., 38 - 12 * i] = 0.0
        za[..., 39 - 12 * i] = t
        za[..., 40 - 12 * i] = t_2
        za[..., 41 - 12 * i] = 0.0
        za[..., 12 * i] = 0.0
        za[..., 1 + 12 * i] = 0.0
        za[..., 2 + 12 * i] = 0.0
        za[..., 3 + 12 * i] = 0.0
        za[..., 4 + 12 * i] = 0.0
        za[..., 5 + 12 * i] = 0.0
    # 5: acceleration of an end, loads at both ends of a hinge
    c = w.c[..., 2]
    s = w.s[..., 2]
    omega = v[..., V_5]
    a_2 = a[..., V_5]
    rdd1 = w.rdd1[..., 2]
    rdd2 = w.rdd2[..., 2]
    # w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body)
    w2 = omega * omega
    IAh12 = w.IAh12[..., 2]
    # λ = IAh (r̈, 0) + pAh (Riccati paper (31): z_a = S z_b + e)
    lam1 = rdd2 * IAh12 + (w.pAh1[..., 2] + rdd1 * w.IAh11[..., 2])
    lam2 = rdd2 * w.IAh22[..., 2] + (w.pAh2[..., 2] + rdd1 * IAh12)
    # (m, q) = (0, 0, λ_Ω, −λ_r, 0) (Riccati paper (2))
    t = -lam1
    t_2 = -lam2
    # z_b = (r̈ + ω̇ × r − ω² r, 0, 0, 0, ω̇) (Riccati paper (14): acceleration of a point of a rigid body)
    zb[..., STATE_5_I] = c * w2 + (rdd1 + s * a_2)
    zb[..., STATE_5_I + 1] = rdd2 + s * w2 - c * a_2
    zb[..., STATE_5_I + 2] = 0.0
    zb[..., STATE_5_I + 3] = 0.0
    zb[..., STATE_5_I + 4] = 0.0
    zb[..., STATE_5_I + 5] = a_2
    zb[..., STATE_5_O] = rdd1
    zb[..., STATE_5_O + 1] = rdd2
    zb[..., STATE_5_O + 2] = 0.0
    zb[..., STATE_5_O + 3] = 0.0
    zb[..., STATE_5_O + 4] = 0.0
    zb[..., STATE_5_O + 5] = a_2
    za[..., STATE_5_O] = 0.0
    za[..., STATE_5_O + 1] = 0.0
    za[..., STATE_5_O + 2] = 0.0
    za[..., STATE_5_O + 3] = t
    za[..., STATE_5_O + 4] = t_2
    za[..., STATE_5_O + 5] = 0.0
    za[..., STATE_7_I2] = 0.0
    za[..., STATE_7_I2 + 1] = 0.0
    za[..., STATE_7_I2 + 2] = 0.0
    za[..., STATE_7_I2 + 3] = t
    za[..., STATE_7_I2 + 4] = t_2
    za[..., STATE_7_I2 + 5] = 0.0
    # 7: acceleration of an end, loads at both ends of a hinge, acceleration of the ground
    omega = v[..., V_7]
    a_2 = a[..., V_7]
    # w2 = ω² (Riccati paper (14): acceleration of a point of a rigid body)
    w2 = omega * omega
    # r = A r′, A = R₃(c, s)
    r1 = a_ * w.c[..., 3]
    r2 = a_ * w.s[..., 3]
    # z_b = (r̈ + ω̇ × r − ω² r, 0, 0, 0, ω̇) (Riccati paper (14): acceleration of a point of a rigid body)
    zb1 = a_2 * r2 + w2 * r1
    t = a_2 * r1
    t_2 = w2 * r2
    # (m, q) = (0, 0, λ_Ω, −λ_r, 0) (Riccati paper (2))
    t_3 = -w.pAh1[..., 3]
    t_4 = -w.pAh2[..., 3]
    zb[..., STATE_7_I1] = zb1
    # z_b = (r̈ + ω̇ × r − ω² r, 0, 0, 0, ω̇) (Riccati paper (14): acceleration of a point of a rigid body)
    zb[..., STATE_7_I1 + 1] = t_2 - t
    zb[..., STATE_7_I1 + 2] = 0.0
    zb[..., STATE_7_I1 + 3] = 0.0
    zb[..., STATE_7_I1 + 4] = 0.0
    zb[..., STATE_7_I1 + 5] = a_2
    zb[..., STATE_7_I2] = -zb1
    zb[..., STATE_7_I2 + 1] = t - t_2
    zb[..., STATE_7_I2 + 2] = 0.0
    zb[..., STATE_7_I2 + 3] = 0.0
    zb[..., STATE_7_I2 + 4] = 0.0
    zb[..., STATE_7_I2 + 5] = a_2
    zb[..., STATE_7_O] = 0.0
    zb[..., STATE_7_O + 1] = 0.0
    zb[..., STATE_7_O + 2] = 0.0
    zb[..., STATE_7_O + 3] = 0.0
    zb[..., STATE_7_O + 4] = 0.0
    zb[..., STATE_7_O + 5] = a_2
    za[..., STATE_7_O] = 0.0
    za[..., STATE_7_O + 1] = 0.0
    za[..., STATE_7_O + 2] = 0.0
    za[..., STATE_7_O + 3] = t_3
    za[..., STATE_7_O + 4] = t_4
    za[..., STATE_7_O + 5] = 0.0
    za[..., STATE_HINGE_8_O] = 0.0
    za[..., STATE_HINGE_8_O + 1] = 0.0
    za[..., STATE_HINGE_8_O + 2] = 0.0
    za[..., STATE_HINGE_8_O + 3] = t_3
    za[..., STATE_HINGE_8_O + 4] = t_4
    za[..., STATE_HINGE_8_O + 5] = 0.0
    zb[..., STATE_HINGE_8_O] = 0.0
    zb[..., STATE_HINGE_8_O + 1] = 0.0
    zb[..., STATE_HINGE_8_O + 2] = 0.0
    zb[..., STATE_HINGE_8_O + 3] = 0.0
    zb[..., STATE_HINGE_8_O + 4] = 0.0
    zb[..., STATE_HINGE_8_O + 5] = 0.0


def _places_poses(w):
    # position of every hinge
    # 7: two inputs of a body
    # r₁ = A r′₁, A = R₃(c, s) (r_P = r_O + A r′)
    r_I2_1 = a_ * w.c[..., 3]
    r_I2_2 = a_ * w.s[..., 3]
    w.x1[..., 0] = -r_I2_1
    w.x2[..., 0] = -r_I2_2
    w.x1[..., 2] = r_I2_1
    w.x2[..., 2] = r_I2_2
    # 5: one input of a body
    # x₁ = x + r₁ (r_P = r_O + A r′)
    w.x1[..., 1] = w.x1[..., 2] - w.c[..., 2]
    w.x2[..., 1] = w.x2[..., 2] - w.s[..., 2]


def _places(v, w):
    # position of every hinge
    # 7: two inputs of a body
    omega = v[..., V_7]
    # r₁ = A r′₁, A = R₃(c, s) (r_P = r_O + A r′)
    r_I2_1 = a_ * w.c[..., 3]
    r_I2_2 = a_ * w.s[..., 3]
    # ṙ₁ = ṙ + ω × r₁ (ṙ_P = ṙ_O + Ω × r)
    rd_I1_1 = omega * r_I2_2
    rd_I2_2 = omega * r_I2_1
    w.x2[..., 0] = -r_I2_2
    w.rd1[..., 0] = rd_I1_1
    w.rd2[..., 0] = -rd_I2_2
    w.x2[..., 2] = r_I2_2
    w.rd1[..., 2] = -rd_I1_1
    w.rd2[..., 2] = rd_I2_2
    # 5: one input of a body
    s = w.s[..., 2]
    omega = v[..., V_5]
    # x₁ = x + r₁ (r_P = r_O + A r′)
    w.x2[..., 1] = w.x2[..., 2] - s
    # ṙ₁ = ṙ + ω × r₁ (ṙ_P = ṙ_O + Ω × r)
    w.rd1[..., 1] = w.rd1[..., 2] + s * omega
    w.rd2[..., 1] = w.rd2[..., 2] - w.c[..., 2] * omega


def _body_poses(poses, w):
    # pose of every body
    # 1, 3, 5: pose of a body
    for i in range(3):
        c = w.c[..., i]
        s = w.s[..., i]
        poses[..., 16 * i] = c
        poses[..., 1 + 16 * i] = -s
        poses[..., 2 + 16 * i] = 0.0
        # o = x + A o_b, A = R₃(c, s) (r_P = r_O + A r′)
        poses[..., 3 + 16 * i] = w.x1[..., i] - c
        poses[..., 4 + 16 * i] = s
        poses[..., 5 + 16 * i] = c
        poses[..., 6 + 16 * i] = 0.0
        poses[..., 7 + 16 * i] = w.x2[..., i] - s
        poses[..., 8 + 16 * i] = 0.0
        poses[..., 9 + 16 * i] = 0.0
        poses[..., 10 + 16 * i] = 1.0
        poses[..., 11 + 16 * i] = 0.0
        poses[..., 12 + 16 * i] = 0.0
        poses[..., 13 + 16 * i] = 0.0
        poses[..., 14 + 16 * i] = 0.0
        poses[..., 15 + 16 * i] = 1.0
    # 7: pose of a body
    # pose = [A, 0, o; 0, 1, 0; 0, 0, 1], A = R₃(c, s) (body to inertial axes)
    c = w.c[..., 3]
    s = w.s[..., 3]
    poses[..., POSE_7] = c
    poses[..., POSE_7 + 1] = -s
    poses[..., POSE_7 + 2] = 0.0
    poses[..., POSE_7 + 3] = -(a_ * c)
    poses[..., POSE_7 + 4] = s
    poses[..., POSE_7 + 5] = c
    poses[..., POSE_7 + 6] = 0.0
    poses[..., POSE_7 + 7] = -(a_ * s)
    poses[..., POSE_7 + 8] = 0.0
    poses[..., POSE_7 + 9] = 0.0
    poses[..., POSE_7 + 10] = 1.0
    poses[..., POSE_7 + 11] = 0.0
    poses[..., POSE_7 + 12] = 0.0
    poses[..., POSE_7 + 13] = 0.0
    poses[..., POSE_7 + 14] = 0.0
    poses[..., POSE_7 + 15] = 1.0


def _energies(v, energy, w):
    # energy of the system
    # 1: kinetic and potential energy of a body
    omega = v[..., V_1]
    # r_C = A r′_C, A = R₃(c, s) (r_P = r_O + A r′)
    t = a_ * w.s[..., 0]
    # v_C = ṙ + ω × r_C (ṙ_C = ṙ_O + Ω × r)
    vC1 = w.rd1[..., 0] + omega * t
    vC2 = w.rd2[..., 0] - omega * (a_ * w.c[..., 0])
    # E = E₀ + ½ (m v_Cᵀ v_C + ωᵀ J_C ω) − m gᵀ (x + r_C) (E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C)
    t_2 = m_a2_by6 * (omega * omega) + m_by2 * (vC1 * vC1 + vC2 * vC2)
    w.E[..., 0] = g * (w.x2[..., 0] - t) + t_2
    # 3, 5: kinetic and potential energy of a body
    for i in range(2):
        omega = v[..., 1 + i]
        # r_C = A r′_C, A = R₃(c, s) (r_P = r_O + A r′)
        t = a_ * w.s[..., 1 + i]
        # v_C = ṙ + ω × r_C (ṙ_C = ṙ_O + Ω × r)
        vC1 = w.rd1[..., 1 + i] + omega * t
        vC2 = w.rd2[..., 1 + i] - omega * (a_ * w.c[..., 1 + i])
        # E = E₀ + ½ (m v_Cᵀ v_C + ωᵀ J_C ω) − m gᵀ (x + r_C) (E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C)
        t_2 = m_by2 * (vC1 * vC1 + vC2 * vC2) + (w.E[..., i] + m_a2_by6 * (omega * omega))
        w.E[..., 1 + i] = g * (w.x2[..., 1 + i] - t) + t_2
    # 7: kinetic and potential energy of a body
    omega = v[..., V_7]
    # E = E₀ + ½ (m v_Cᵀ v_C + ωᵀ J_C ω) − m gᵀ (x + r_C) (E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C)
    energy[..., 0] = w.E[..., 2] + m_a2_by6 * (omega * omega)


def _rates(v, qd):
    # rates of the coordinates
    # 1, 3, 5, 7: rates of a body's coordinates
    for i in range(4):
        # q̇ = ω (θ̇ = ω)
        qd[..., i] = v[..., i]


def accelerations(q, v, a, w):
    """Accelerations of the coordinates; writes a."""
    _orientation(q, w)
    _tips_to_root(v, w)
    _root_to_tips(v, a, w)


def joint_loads(q, v, a, loads, w):
    """Loads at the hinges, moment then force, that the tip side exerts on the root side; writes a, loads."""
    _orientation(q, w)
    _tips_to_root(v, w)
    _root_to_tips(v, a, w)
    _hinge_loads(loads, w)


def end_states(q, v, a, za, zb, w):
    """Accelerations and loads at every end of every element; writes a, za, zb."""
    _orientation(q, w)
    _tips_to_root(v, w)
    _root_to_tips(v, a, w)
    _end_states(v, a, za, zb, w)


def poses(q, poses, w):
    """Pose of every body; writes poses."""
    _orientation(q, w)
    _places_poses(w)
    _body_poses(poses, w)


def energy(q, v, energy, w):
    """Kinetic plus potential energy; writes energy."""
    _orientation(q, w)
    _places(v, w)
    _energies(v, energy, w)


def rates(v, qd, w):
    """Rates of the coordinates; writes qd."""
    _rates(v, qd)
