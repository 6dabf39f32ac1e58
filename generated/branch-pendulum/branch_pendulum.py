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
from mstmm_motion import Model

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
    # 1: orientation of a body
    theta = q[..., 0]
    w.c[..., 0] = np.cos(theta)
    w.s[..., 0] = np.sin(theta)
    # 3: orientation of a body
    theta = q[..., 1]
    w.c[..., 1] = np.cos(theta)
    w.s[..., 1] = np.sin(theta)
    # 5: orientation of a body
    theta = q[..., 2]
    w.c[..., 2] = np.cos(theta)
    w.s[..., 2] = np.sin(theta)
    # 7: orientation of a body
    theta = q[..., 3]
    w.c[..., 3] = np.cos(theta)
    w.s[..., 3] = np.sin(theta)


def _tips_to_root(v, w):
    # Riccati recursion, from the tips to the root
    # 1: rigid body with no input, smooth hinge
    c = w.c[..., 0]
    s = w.s[..., 0]
    omega = v[..., 0]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    # h = A h′ (first moment of mass about O)
    t = 0.5 * c
    IA13 = 0.5 * s
    # pA = p (force and moment balance about the output end, Riccati paper (4), (29), (30))
    pA1 = w2 * t
    pA2 = 9.81 + w2 * IA13
    # Ω̇ = P r̈ + b, P = −IA22⁻¹ IA21, b = −IA22⁻¹ pA2 (m = 0 at the hinge: Riccati paper (29), (30), completed)
    t_2 = 1.5 * s
    Pb12 = 1.5 * c
    Pb13 = 14.715 * c
    w.P11[..., 0] = -t_2
    w.P12[..., 0] = Pb12
    w.b[..., 0] = Pb13
    # IAh = IA11 + IA12 P
    w.IAh11[..., 0] = 1.0 - IA13 * t_2
    w.IAh12[..., 0] = IA13 * Pb12
    w.IAh22[..., 0] = 1.0 - t * Pb12
    # pAh = pA1 + IA12 b
    w.pAh1[..., 0] = pA1 + IA13 * Pb13
    w.pAh2[..., 0] = pA2 - t * Pb13
    # 3: rigid body with no input, smooth hinge
    c = w.c[..., 1]
    s = w.s[..., 1]
    omega = v[..., 1]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    # h = A h′ (first moment of mass about O)
    t = 0.5 * c
    IA13 = 0.5 * s
    # pA = p (force and moment balance about the output end, Riccati paper (4), (29), (30))
    pA1 = w2 * t
    pA2 = 9.81 + w2 * IA13
    # Ω̇ = P r̈ + b, P = −IA22⁻¹ IA21, b = −IA22⁻¹ pA2 (m = 0 at the hinge: Riccati paper (29), (30), completed)
    t_2 = 1.5 * s
    Pb12 = 1.5 * c
    Pb13 = 14.715 * c
    w.P11[..., 1] = -t_2
    w.P12[..., 1] = Pb12
    w.b[..., 1] = Pb13
    # IAh = IA11 + IA12 P
    w.IAh11[..., 1] = 1.0 - IA13 * t_2
    w.IAh12[..., 1] = IA13 * Pb12
    w.IAh22[..., 1] = 1.0 - t * Pb12
    # pAh = pA1 + IA12 b
    w.pAh1[..., 1] = pA1 + IA13 * Pb13
    w.pAh2[..., 1] = pA2 - t * Pb13
    # 5: rigid body with one input, smooth hinge
    c = w.c[..., 2]
    s = w.s[..., 2]
    omega = v[..., 2]
    IA_I1_11 = w.IAh11[..., 1]
    IA_I1_12 = w.IAh12[..., 1]
    IA_I1_22 = w.IAh22[..., 1]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    # h = A h′ (first moment of mass about O)
    t = 0.5 * c
    t_2 = 0.5 * s
    # g1 = ~Ω ~Ω r1 (Riccati paper (14): acceleration of a point of a rigid body)
    g_I1_1 = c * w2
    g_I1_2 = s * w2
    # T1 = IA1 X1 (force and moment balance about the output end, Riccati paper (4), (29), (30))
    T_I1_13 = s * IA_I1_11 - c * IA_I1_12
    T_I1_23 = s * IA_I1_12 - c * IA_I1_22
    # y1 = pA1 + IA1 g1
    y_I1_1 = IA_I1_12 * g_I1_2 + (w.pAh1[..., 1] + IA_I1_11 * g_I1_1)
    y_I1_2 = IA_I1_22 * g_I1_2 + (w.pAh2[..., 1] + IA_I1_12 * g_I1_1)
    # IA = M + X1ᵀ T1
    IA11 = 1.0 + IA_I1_11
    IA13 = t_2 + T_I1_13
    IA22 = 1.0 + IA_I1_22
    IA23 = T_I1_23 - t
    IA33 = 0.3333333333333333 + s * T_I1_13 - c * T_I1_23
    # pA = p + X1ᵀ y1
    pA1 = y_I1_1 + w2 * t
    pA2 = w2 * t_2 + (y_I1_2 + 9.81)
    # Ω̇ = P r̈ + b, P = −IA22⁻¹ IA21, b = −IA22⁻¹ pA2 (m = 0 at the hinge: Riccati paper (29), (30), completed)
    t_3 = 1.0 / IA33
    t_4 = IA13 * t_3
    Pb12 = (t - T_I1_23) * t_3
    Pb13 = (4.905 * c - (s * y_I1_1 - c * y_I1_2)) * t_3
    w.P11[..., 2] = -t_4
    w.P12[..., 2] = Pb12
    w.b[..., 2] = Pb13
    # IAh = IA11 + IA12 P
    w.IAh11[..., 2] = IA11 - IA13 * t_4
    w.IAh12[..., 2] = IA_I1_12 + IA13 * Pb12
    w.IAh22[..., 2] = IA22 + IA23 * Pb12
    # pAh = pA1 + IA12 b
    w.pAh1[..., 2] = pA1 + IA13 * Pb13
    w.pAh2[..., 2] = pA2 + IA23 * Pb13
    # 7: rigid body with 2 inputs, smooth hinge
    omega = v[..., 3]
    IA_I1_11 = w.IAh11[..., 0]
    IA_I1_12 = w.IAh12[..., 0]
    IA_I1_22 = w.IAh22[..., 0]
    IA_I2_11 = w.IAh11[..., 2]
    IA_I2_12 = w.IAh12[..., 2]
    IA_I2_22 = w.IAh22[..., 2]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    # r_P = r_O + A r′
    r_I2_1 = 0.5 * w.c[..., 3]
    r_I2_2 = 0.5 * w.s[..., 3]
    # g1 = ~Ω ~Ω r1 (Riccati paper (14): acceleration of a point of a rigid body)
    g_I1_1 = w2 * r_I2_1
    g_I1_2 = w2 * r_I2_2
    # T1 = IA1 X1 (force and moment balance about the output end, Riccati paper (4), (29), (30))
    T_I1_13 = IA_I1_11 * r_I2_2 - IA_I1_12 * r_I2_1
    T_I1_23 = IA_I1_12 * r_I2_2 - IA_I1_22 * r_I2_1
    # y1 = pA1 + IA1 g1
    y_I1_1 = IA_I1_12 * g_I1_2 + (w.pAh1[..., 0] + IA_I1_11 * g_I1_1)
    y_I1_2 = IA_I1_22 * g_I1_2 + (w.pAh2[..., 0] + IA_I1_12 * g_I1_1)
    # T2 = IA2 X2
    T_I2_13 = IA_I2_12 * r_I2_1 - IA_I2_11 * r_I2_2
    T_I2_23 = IA_I2_22 * r_I2_1 - IA_I2_12 * r_I2_2
    # y2 = pA2 + IA2 g2
    y_I2_1 = w.pAh1[..., 2] - IA_I2_11 * g_I1_1 - IA_I2_12 * g_I1_2
    y_I2_2 = w.pAh2[..., 2] - IA_I2_12 * g_I1_1 - IA_I2_22 * g_I1_2
    # IA = M + X1ᵀ T1 + X2ᵀ T2
    IA13 = T_I1_13 + T_I2_13
    IA23 = T_I1_23 + T_I2_23
    t = r_I2_2 * T_I1_13 + (0.08333333333333333 + r_I2_1 * T_I2_23) - r_I2_1 * T_I1_23
    IA33 = t - r_I2_2 * T_I2_13
    # pA = p + X1ᵀ y1 + X2ᵀ y2
    pA1 = y_I1_1 + y_I2_1
    pA2 = 9.81 + (y_I1_2 + y_I2_2)
    # Ω̇ = P r̈ + b, P = −IA22⁻¹ IA21, b = −IA22⁻¹ pA2 (m = 0 at the hinge: Riccati paper (29), (30), completed)
    t_2 = r_I2_2 * y_I2_1 - (r_I2_1 * y_I2_2 + r_I2_2 * y_I1_1 - r_I2_1 * y_I1_2)
    Pb13 = t_2 * (1.0 / IA33)
    w.b[..., 3] = Pb13
    # pAh = pA1 + IA12 b
    w.pAh1[..., 3] = pA1 + IA13 * Pb13
    w.pAh2[..., 3] = pA2 + IA23 * Pb13


def _root_to_tips(v, a, w):
    # back-substitution, from the root to the tips
    # 7: accelerations of a body with 2 inputs
    b = w.b[..., 3]
    omega = v[..., 3]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    r_I2_1 = 0.5 * w.c[..., 3]
    r_I2_2 = 0.5 * w.s[..., 3]
    # r̈1 = r̈ + Ω̇ × r1 + ~Ω ~Ω r1
    rdd_I1_1 = b * r_I2_2 + w2 * r_I2_1
    t = b * r_I2_1
    t_2 = w2 * r_I2_2
    a[..., 3] = b
    w.rdd1[..., 0] = rdd_I1_1
    w.rdd2[..., 0] = t_2 - t
    w.rdd1[..., 2] = -rdd_I1_1
    # r̈2 = r̈ + Ω̇ × r2 + ~Ω ~Ω r2
    w.rdd2[..., 2] = t - t_2
    # 5: accelerations of a body with one input
    c = w.c[..., 2]
    s = w.s[..., 2]
    rdd1 = w.rdd1[..., 2]
    rdd2 = w.rdd2[..., 2]
    omega = v[..., 2]
    # Ω̇ = P r̈ + b (back-substitution: Riccati paper (33), completed)
    Omegad = w.P12[..., 2] * rdd2 + (w.b[..., 2] + w.P11[..., 2] * rdd1)
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    a[..., 2] = Omegad
    # r̈1 = r̈ + Ω̇ × r1 + ~Ω ~Ω r1
    w.rdd1[..., 1] = c * w2 + (rdd1 + s * Omegad)
    w.rdd2[..., 1] = rdd2 + s * w2 - c * Omegad
    # 3: accelerations of a body with no input
    # Ω̇ = P r̈ + b (back-substitution: Riccati paper (33), completed)
    t = w.P12[..., 1] * w.rdd2[..., 1] + (w.b[..., 1] + w.P11[..., 1] * w.rdd1[..., 1])
    a[..., 1] = t
    # 1: accelerations of a body with no input
    # Ω̇ = P r̈ + b (back-substitution: Riccati paper (33), completed)
    t = w.P12[..., 0] * w.rdd2[..., 0] + (w.b[..., 0] + w.P11[..., 0] * w.rdd1[..., 0])
    a[..., 0] = t


def _hinge_loads(loads, w):
    # loads at every hinge
    # 1: loads at a hinge
    IAh12 = w.IAh12[..., 0]
    rdd1 = w.rdd1[..., 0]
    rdd2 = w.rdd2[..., 0]
    # λ = IAh r̈ + pAh (Riccati paper (31): z_a = S z_b + e)
    lam1 = IAh12 * rdd2 + (w.pAh1[..., 0] + w.IAh11[..., 0] * rdd1)
    lam2 = w.IAh22[..., 0] * rdd2 + (w.pAh2[..., 0] + IAh12 * rdd1)
    loads[..., 0] = 0.0
    loads[..., 1] = 0.0
    loads[..., 2] = 0.0
    loads[..., 3] = -lam1
    loads[..., 4] = -lam2
    loads[..., 5] = 0.0
    # 3: loads at a hinge
    IAh12 = w.IAh12[..., 1]
    rdd1 = w.rdd1[..., 1]
    rdd2 = w.rdd2[..., 1]
    # λ = IAh r̈ + pAh (Riccati paper (31): z_a = S z_b + e)
    lam1 = IAh12 * rdd2 + (w.pAh1[..., 1] + w.IAh11[..., 1] * rdd1)
    lam2 = w.IAh22[..., 1] * rdd2 + (w.pAh2[..., 1] + IAh12 * rdd1)
    loads[..., 6] = 0.0
    loads[..., 7] = 0.0
    loads[..., 8] = 0.0
    loads[..., 9] = -lam1
    loads[..., 10] = -lam2
    loads[..., 11] = 0.0
    # 5: loads at a hinge
    IAh12 = w.IAh12[..., 2]
    rdd1 = w.rdd1[..., 2]
    rdd2 = w.rdd2[..., 2]
    # λ = IAh r̈ + pAh (Riccati paper (31): z_a = S z_b + e)
    lam1 = IAh12 * rdd2 + (w.pAh1[..., 2] + w.IAh11[..., 2] * rdd1)
    lam2 = w.IAh22[..., 2] * rdd2 + (w.pAh2[..., 2] + IAh12 * rdd1)
    loads[..., 12] = 0.0
    loads[..., 13] = 0.0
    loads[..., 14] = 0.0
    loads[..., 15] = -lam1
    loads[..., 16] = -lam2
    loads[..., 17] = 0.0
    # 7: loads at a hinge
    loads[..., 18] = 0.0
    loads[..., 19] = 0.0
    loads[..., 20] = 0.0
    loads[..., 21] = -w.pAh1[..., 3]
    loads[..., 22] = -w.pAh2[..., 3]
    loads[..., 23] = 0.0


def _end_states(v, a, za, zb, w):
    # accelerations and loads at every end of every element
    # 1: acceleration of an end, loads at both ends of a hinge, loads at a free end
    c = w.c[..., 0]
    s = w.s[..., 0]
    omega = v[..., 0]
    a_ = a[..., 0]
    rdd1 = w.rdd1[..., 0]
    rdd2 = w.rdd2[..., 0]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    IAh12 = w.IAh12[..., 0]
    # Riccati paper (31): z_a = S z_b + e
    lam1 = rdd2 * IAh12 + (w.pAh1[..., 0] + rdd1 * w.IAh11[..., 0])
    lam2 = rdd2 * w.IAh22[..., 0] + (w.pAh2[..., 0] + rdd1 * IAh12)
    # Riccati paper (2)
    t = -lam1
    t_2 = -lam2
    # Riccati paper (14): acceleration of a point of a rigid body
    zb[..., 0] = c * w2 + (rdd1 + s * a_)
    zb[..., 1] = rdd2 + s * w2 - c * a_
    zb[..., 2] = 0.0
    zb[..., 3] = 0.0
    zb[..., 4] = 0.0
    zb[..., 5] = a_
    zb[..., 6] = rdd1
    zb[..., 7] = rdd2
    zb[..., 8] = 0.0
    zb[..., 9] = 0.0
    zb[..., 10] = 0.0
    zb[..., 11] = a_
    za[..., 6] = 0.0
    za[..., 7] = 0.0
    za[..., 8] = 0.0
    za[..., 9] = t
    za[..., 10] = t_2
    za[..., 11] = 0.0
    za[..., 36] = 0.0
    za[..., 37] = 0.0
    za[..., 38] = 0.0
    za[..., 39] = t
    za[..., 40] = t_2
    za[..., 41] = 0.0
    za[..., 0] = 0.0
    za[..., 1] = 0.0
    za[..., 2] = 0.0
    za[..., 3] = 0.0
    za[..., 4] = 0.0
    za[..., 5] = 0.0
    # 3: acceleration of an end, loads at both ends of a hinge, loads at a free end
    c = w.c[..., 1]
    s = w.s[..., 1]
    omega = v[..., 1]
    a_ = a[..., 1]
    rdd1 = w.rdd1[..., 1]
    rdd2 = w.rdd2[..., 1]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    IAh12 = w.IAh12[..., 1]
    # Riccati paper (31): z_a = S z_b + e
    lam1 = rdd2 * IAh12 + (w.pAh1[..., 1] + rdd1 * w.IAh11[..., 1])
    lam2 = rdd2 * w.IAh22[..., 1] + (w.pAh2[..., 1] + rdd1 * IAh12)
    # Riccati paper (2)
    t = -lam1
    t_2 = -lam2
    # Riccati paper (14): acceleration of a point of a rigid body
    zb[..., 12] = c * w2 + (rdd1 + s * a_)
    zb[..., 13] = rdd2 + s * w2 - c * a_
    zb[..., 14] = 0.0
    zb[..., 15] = 0.0
    zb[..., 16] = 0.0
    zb[..., 17] = a_
    zb[..., 18] = rdd1
    zb[..., 19] = rdd2
    zb[..., 20] = 0.0
    zb[..., 21] = 0.0
    zb[..., 22] = 0.0
    zb[..., 23] = a_
    za[..., 18] = 0.0
    za[..., 19] = 0.0
    za[..., 20] = 0.0
    za[..., 21] = t
    za[..., 22] = t_2
    za[..., 23] = 0.0
    za[..., 24] = 0.0
    za[..., 25] = 0.0
    za[..., 26] = 0.0
    za[..., 27] = t
    za[..., 28] = t_2
    za[..., 29] = 0.0
    za[..., 12] = 0.0
    za[..., 13] = 0.0
    za[..., 14] = 0.0
    za[..., 15] = 0.0
    za[..., 16] = 0.0
    za[..., 17] = 0.0
    # 5: acceleration of an end, loads at both ends of a hinge
    c = w.c[..., 2]
    s = w.s[..., 2]
    omega = v[..., 2]
    a_ = a[..., 2]
    rdd1 = w.rdd1[..., 2]
    rdd2 = w.rdd2[..., 2]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    IAh12 = w.IAh12[..., 2]
    # Riccati paper (31): z_a = S z_b + e
    lam1 = rdd2 * IAh12 + (w.pAh1[..., 2] + rdd1 * w.IAh11[..., 2])
    lam2 = rdd2 * w.IAh22[..., 2] + (w.pAh2[..., 2] + rdd1 * IAh12)
    # Riccati paper (2)
    t = -lam1
    t_2 = -lam2
    # Riccati paper (14): acceleration of a point of a rigid body
    zb[..., 24] = c * w2 + (rdd1 + s * a_)
    zb[..., 25] = rdd2 + s * w2 - c * a_
    zb[..., 26] = 0.0
    zb[..., 27] = 0.0
    zb[..., 28] = 0.0
    zb[..., 29] = a_
    zb[..., 30] = rdd1
    zb[..., 31] = rdd2
    zb[..., 32] = 0.0
    zb[..., 33] = 0.0
    zb[..., 34] = 0.0
    zb[..., 35] = a_
    za[..., 30] = 0.0
    za[..., 31] = 0.0
    za[..., 32] = 0.0
    za[..., 33] = t
    za[..., 34] = t_2
    za[..., 35] = 0.0
    za[..., 42] = 0.0
    za[..., 43] = 0.0
    za[..., 44] = 0.0
    za[..., 45] = t
    za[..., 46] = t_2
    za[..., 47] = 0.0
    # 7: acceleration of an end, loads at both ends of a hinge, acceleration of the ground
    omega = v[..., 3]
    a_ = a[..., 3]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    # r_P = r_O + A r′
    r1 = 0.5 * w.c[..., 3]
    r2 = 0.5 * w.s[..., 3]
    # Riccati paper (14): acceleration of a point of a rigid body
    zb1 = a_ * r2 + w2 * r1
    t = a_ * r1
    t_2 = w2 * r2
    # Riccati paper (2)
    t_3 = -w.pAh1[..., 3]
    t_4 = -w.pAh2[..., 3]
    zb[..., 36] = zb1
    # Riccati paper (14): acceleration of a point of a rigid body
    zb[..., 37] = t_2 - t
    zb[..., 38] = 0.0
    zb[..., 39] = 0.0
    zb[..., 40] = 0.0
    zb[..., 41] = a_
    zb[..., 42] = -zb1
    zb[..., 43] = t - t_2
    zb[..., 44] = 0.0
    zb[..., 45] = 0.0
    zb[..., 46] = 0.0
    zb[..., 47] = a_
    zb[..., 48] = 0.0
    zb[..., 49] = 0.0
    zb[..., 50] = 0.0
    zb[..., 51] = 0.0
    zb[..., 52] = 0.0
    zb[..., 53] = a_
    za[..., 48] = 0.0
    za[..., 49] = 0.0
    za[..., 50] = 0.0
    za[..., 51] = t_3
    za[..., 52] = t_4
    za[..., 53] = 0.0
    za[..., 54] = 0.0
    za[..., 55] = 0.0
    za[..., 56] = 0.0
    za[..., 57] = t_3
    za[..., 58] = t_4
    za[..., 59] = 0.0
    zb[..., 54] = 0.0
    zb[..., 55] = 0.0
    zb[..., 56] = 0.0
    zb[..., 57] = 0.0
    zb[..., 58] = 0.0
    zb[..., 59] = 0.0


def _places_poses(w):
    # position of every hinge
    # 7: 2 inputs of a body
    # r_P = r_O + A r′
    r_I2_1 = 0.5 * w.c[..., 3]
    r_I2_2 = 0.5 * w.s[..., 3]
    w.x1[..., 0] = -r_I2_1
    w.x2[..., 0] = -r_I2_2
    w.x1[..., 2] = r_I2_1
    w.x2[..., 2] = r_I2_2
    # 5: one input of a body
    # r_P = r_O + A r′
    w.x1[..., 1] = w.x1[..., 2] - w.c[..., 2]
    w.x2[..., 1] = w.x2[..., 2] - w.s[..., 2]


def _places(v, w):
    # position of every hinge
    # 7: 2 inputs of a body
    omega = v[..., 3]
    # r_P = r_O + A r′
    r_I2_1 = 0.5 * w.c[..., 3]
    r_I2_2 = 0.5 * w.s[..., 3]
    # ṙ_P = ṙ_O + Ω × r
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
    omega = v[..., 2]
    # r_P = r_O + A r′
    w.x2[..., 1] = w.x2[..., 2] - s
    # ṙ_P = ṙ_O + Ω × r
    w.rd1[..., 1] = w.rd1[..., 2] + s * omega
    w.rd2[..., 1] = w.rd2[..., 2] - w.c[..., 2] * omega


def _body_poses(poses, w):
    # pose of every body
    # 1: pose of a body
    c = w.c[..., 0]
    s = w.s[..., 0]
    poses[..., 0] = c
    poses[..., 1] = -s
    poses[..., 2] = 0.0
    # r_P = r_O + A r′
    poses[..., 3] = w.x1[..., 0] - c
    poses[..., 4] = s
    poses[..., 5] = c
    poses[..., 6] = 0.0
    poses[..., 7] = w.x2[..., 0] - s
    poses[..., 8] = 0.0
    poses[..., 9] = 0.0
    poses[..., 10] = 1.0
    poses[..., 11] = 0.0
    poses[..., 12] = 0.0
    poses[..., 13] = 0.0
    poses[..., 14] = 0.0
    poses[..., 15] = 1.0
    # 3: pose of a body
    c = w.c[..., 1]
    s = w.s[..., 1]
    poses[..., 16] = c
    poses[..., 17] = -s
    poses[..., 18] = 0.0
    # r_P = r_O + A r′
    poses[..., 19] = w.x1[..., 1] - c
    poses[..., 20] = s
    poses[..., 21] = c
    poses[..., 22] = 0.0
    poses[..., 23] = w.x2[..., 1] - s
    poses[..., 24] = 0.0
    poses[..., 25] = 0.0
    poses[..., 26] = 1.0
    poses[..., 27] = 0.0
    poses[..., 28] = 0.0
    poses[..., 29] = 0.0
    poses[..., 30] = 0.0
    poses[..., 31] = 1.0
    # 5: pose of a body
    c = w.c[..., 2]
    s = w.s[..., 2]
    poses[..., 32] = c
    poses[..., 33] = -s
    poses[..., 34] = 0.0
    # r_P = r_O + A r′
    poses[..., 35] = w.x1[..., 2] - c
    poses[..., 36] = s
    poses[..., 37] = c
    poses[..., 38] = 0.0
    poses[..., 39] = w.x2[..., 2] - s
    poses[..., 40] = 0.0
    poses[..., 41] = 0.0
    poses[..., 42] = 1.0
    poses[..., 43] = 0.0
    poses[..., 44] = 0.0
    poses[..., 45] = 0.0
    poses[..., 46] = 0.0
    poses[..., 47] = 1.0
    # 7: pose of a body
    c = w.c[..., 3]
    s = w.s[..., 3]
    poses[..., 48] = c
    poses[..., 49] = -s
    poses[..., 50] = 0.0
    poses[..., 51] = -(0.5 * c)
    poses[..., 52] = s
    poses[..., 53] = c
    poses[..., 54] = 0.0
    poses[..., 55] = -(0.5 * s)
    poses[..., 56] = 0.0
    poses[..., 57] = 0.0
    poses[..., 58] = 1.0
    poses[..., 59] = 0.0
    poses[..., 60] = 0.0
    poses[..., 61] = 0.0
    poses[..., 62] = 0.0
    poses[..., 63] = 1.0


def _energies(v, energy, w):
    # energy of the system
    # 1: kinetic and potential energy of a body
    omega = v[..., 0]
    # r_P = r_O + A r′
    t = 0.5 * w.s[..., 0]
    # ṙ_C = ṙ_O + Ω × r
    vC1 = w.rd1[..., 0] + omega * t
    vC2 = w.rd2[..., 0] - omega * (0.5 * w.c[..., 0])
    # E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C
    t_2 = 0.041666666666666664 * (omega * omega) + 0.5 * (vC1 * vC1 + vC2 * vC2)
    w.E[..., 0] = 9.81 * (w.x2[..., 0] - t) + t_2
    # 3: kinetic and potential energy of a body
    omega = v[..., 1]
    # r_P = r_O + A r′
    t = 0.5 * w.s[..., 1]
    # ṙ_C = ṙ_O + Ω × r
    vC1 = w.rd1[..., 1] + omega * t
    vC2 = w.rd2[..., 1] - omega * (0.5 * w.c[..., 1])
    # E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C
    t_2 = 0.5 * (vC1 * vC1 + vC2 * vC2) + (w.E[..., 0] + 0.041666666666666664 * (omega * omega))
    w.E[..., 1] = 9.81 * (w.x2[..., 1] - t) + t_2
    # 5: kinetic and potential energy of a body
    omega = v[..., 2]
    # r_P = r_O + A r′
    t = 0.5 * w.s[..., 2]
    # ṙ_C = ṙ_O + Ω × r
    vC1 = w.rd1[..., 2] + omega * t
    vC2 = w.rd2[..., 2] - omega * (0.5 * w.c[..., 2])
    # E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C
    t_2 = 0.5 * (vC1 * vC1 + vC2 * vC2) + (w.E[..., 1] + 0.041666666666666664 * (omega * omega))
    w.E[..., 2] = 9.81 * (w.x2[..., 2] - t) + t_2
    # 7: kinetic and potential energy of a body
    omega = v[..., 3]
    # E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C
    energy[..., 0] = w.E[..., 2] + 0.041666666666666664 * (omega * omega)


def _rates(v, qd):
    # rates of the coordinates
    # 1: rates of a body's coordinates
    qd[..., 0] = v[..., 0]
    # 3: rates of a body's coordinates
    qd[..., 1] = v[..., 1]
    # 5: rates of a body's coordinates
    qd[..., 2] = v[..., 2]
    # 7: rates of a body's coordinates
    qd[..., 3] = v[..., 3]


def accelerations(q, v, a, w):
    """Accelerations of the coordinates; writes a."""
    _orientation(q, w)
    _tips_to_root(v, w)
    _root_to_tips(v, a, w)


def joint_loads(q, v, a, loads, w):
    """Loads at the hinges, moment then force, on the root side by the tip side; writes a, loads."""
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


#: The model as motions see it.
MODEL = Model(
    nq=4,
    nv=4,
    work=Work,
    rates=lambda q, u, qd, w: rates(u, qd, w),
    accelerations=lambda t, q, v, u, vd, given, w: accelerations(q, v, vd, w),
)
