"""Riccati transfer matrix method, fast form: branch-pendulum

Generated; each block names the equations it comes from. Needs NumPy alone. All arguments
may carry leading batch axes; SI units, radians.
accelerations: 205 (80 additions, 2 divisions, 109 multiplications, 6 negations, 8 sines and cosines) operations
joint_loads: 237 (92 additions, 2 divisions, 121 multiplications, 14 negations, 8 sines and cosines) operations
end_states: 275 (107 additions, 2 divisions, 143 multiplications, 15 negations, 8 sines and cosines) operations
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
    # direction cosines of the body
    c = np.cos(theta)
    s = np.sin(theta)
    w.c[..., 0] = c
    w.s[..., 0] = s
    # 3: orientation of a body
    theta = q[..., 1]
    # direction cosines of the body
    c = np.cos(theta)
    s = np.sin(theta)
    w.c[..., 1] = c
    w.s[..., 1] = s
    # 5: orientation of a body
    theta = q[..., 2]
    # direction cosines of the body
    c = np.cos(theta)
    s = np.sin(theta)
    w.c[..., 2] = c
    w.s[..., 2] = s
    # 7: orientation of a body
    theta = q[..., 3]
    # direction cosines of the body
    c = np.cos(theta)
    s = np.sin(theta)
    w.c[..., 3] = c
    w.s[..., 3] = s


def _tips_to_root(v, w):
    # Riccati recursion, from the tips to the root
    # 1: rigid body with no input, smooth hinge
    c = w.c[..., 0]
    s = w.s[..., 0]
    omega = v[..., 0]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    # first moment of mass about O
    t = 0.5 * c
    IA13 = 0.5 * s
    # force and moment balance about the output end, Riccati paper (4), (29), (30)
    pA1 = w2 * t
    pA2 = 9.81 + w2 * IA13
    # m = 0 at the hinge: Riccati paper (29), (30), completed
    t_2 = 1.5 * s
    Pb12 = 1.5 * c
    Pb13 = 14.715 * c
    IAh11 = 1.0 - IA13 * t_2
    IAh12 = IA13 * Pb12
    IAh22 = 1.0 - t * Pb12
    pAh1 = pA1 + IA13 * Pb13
    pAh2 = pA2 - t * Pb13
    w.P11[..., 0] = -t_2
    w.P12[..., 0] = Pb12
    w.b[..., 0] = Pb13
    w.IAh11[..., 0] = IAh11
    w.IAh12[..., 0] = IAh12
    w.IAh22[..., 0] = IAh22
    w.pAh1[..., 0] = pAh1
    w.pAh2[..., 0] = pAh2
    # 3: rigid body with no input, smooth hinge
    c = w.c[..., 1]
    s = w.s[..., 1]
    omega = v[..., 1]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    # first moment of mass about O
    t = 0.5 * c
    IA13 = 0.5 * s
    # force and moment balance about the output end, Riccati paper (4), (29), (30)
    pA1 = w2 * t
    pA2 = 9.81 + w2 * IA13
    # m = 0 at the hinge: Riccati paper (29), (30), completed
    t_2 = 1.5 * s
    Pb12 = 1.5 * c
    Pb13 = 14.715 * c
    IAh11 = 1.0 - IA13 * t_2
    IAh12 = IA13 * Pb12
    IAh22 = 1.0 - t * Pb12
    pAh1 = pA1 + IA13 * Pb13
    pAh2 = pA2 - t * Pb13
    w.P11[..., 1] = -t_2
    w.P12[..., 1] = Pb12
    w.b[..., 1] = Pb13
    w.IAh11[..., 1] = IAh11
    w.IAh12[..., 1] = IAh12
    w.IAh22[..., 1] = IAh22
    w.pAh1[..., 1] = pAh1
    w.pAh2[..., 1] = pAh2
    # 5: rigid body with one input, smooth hinge
    c = w.c[..., 2]
    s = w.s[..., 2]
    omega = v[..., 2]
    IA_I1_11 = w.IAh11[..., 1]
    IA_I1_12 = w.IAh12[..., 1]
    IA_I1_22 = w.IAh22[..., 1]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    # first moment of mass about O
    t = 0.5 * c
    t_2 = 0.5 * s
    # Riccati paper (14): acceleration of a point of a rigid body
    g_I1_1 = c * w2
    g_I1_2 = s * w2
    # force and moment balance about the output end, Riccati paper (4), (29), (30)
    T_I1_13 = s * IA_I1_11 - c * IA_I1_12
    T_I1_23 = s * IA_I1_12 - c * IA_I1_22
    y_I1_1 = IA_I1_12 * g_I1_2 + (w.pAh1[..., 1] + IA_I1_11 * g_I1_1)
    y_I1_2 = IA_I1_22 * g_I1_2 + (w.pAh2[..., 1] + IA_I1_12 * g_I1_1)
    IA11 = 1.0 + IA_I1_11
    IA13 = t_2 + T_I1_13
    IA22 = 1.0 + IA_I1_22
    IA23 = T_I1_23 - t
    IA33 = 0.3333333333333333 + s * T_I1_13 - c * T_I1_23
    pA1 = y_I1_1 + w2 * t
    pA2 = w2 * t_2 + (y_I1_2 + 9.81)
    # m = 0 at the hinge: Riccati paper (29), (30), completed
    t_3 = 1.0 / IA33
    t_4 = IA13 * t_3
    Pb12 = (t - T_I1_23) * t_3
    Pb13 = (4.905 * c - (s * y_I1_1 - c * y_I1_2)) * t_3
    IAh11 = IA11 - IA13 * t_4
    IAh12 = IA_I1_12 + IA13 * Pb12
    IAh22 = IA22 + IA23 * Pb12
    pAh1 = pA1 + IA13 * Pb13
    pAh2 = pA2 + IA23 * Pb13
    w.P11[..., 2] = -t_4
    w.P12[..., 2] = Pb12
    w.b[..., 2] = Pb13
    w.IAh11[..., 2] = IAh11
    w.IAh12[..., 2] = IAh12
    w.IAh22[..., 2] = IAh22
    w.pAh1[..., 2] = pAh1
    w.pAh2[..., 2] = pAh2
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
    # Riccati paper (14): acceleration of a point of a rigid body
    g_I1_1 = w2 * r_I2_1
    g_I1_2 = w2 * r_I2_2
    # force and moment balance about the output end, Riccati paper (4), (29), (30)
    T_I1_13 = IA_I1_11 * r_I2_2 - IA_I1_12 * r_I2_1
    T_I1_23 = IA_I1_12 * r_I2_2 - IA_I1_22 * r_I2_1
    y_I1_1 = IA_I1_12 * g_I1_2 + (w.pAh1[..., 0] + IA_I1_11 * g_I1_1)
    y_I1_2 = IA_I1_22 * g_I1_2 + (w.pAh2[..., 0] + IA_I1_12 * g_I1_1)
    T_I2_13 = IA_I2_12 * r_I2_1 - IA_I2_11 * r_I2_2
    T_I2_23 = IA_I2_22 * r_I2_1 - IA_I2_12 * r_I2_2
    y_I2_1 = w.pAh1[..., 2] - IA_I2_11 * g_I1_1 - IA_I2_12 * g_I1_2
    y_I2_2 = w.pAh2[..., 2] - IA_I2_12 * g_I1_1 - IA_I2_22 * g_I1_2
    IA11 = 1.0 + (IA_I1_11 + IA_I2_11)
    IA12 = IA_I1_12 + IA_I2_12
    IA13 = T_I1_13 + T_I2_13
    IA22 = 1.0 + (IA_I1_22 + IA_I2_22)
    IA23 = T_I1_23 + T_I2_23
    t = r_I2_2 * T_I1_13 + (0.08333333333333333 + r_I2_1 * T_I2_23) - r_I2_1 * T_I1_23
    IA33 = t - r_I2_2 * T_I2_13
    pA1 = y_I1_1 + y_I2_1
    pA2 = 9.81 + (y_I1_2 + y_I2_2)
    # m = 0 at the hinge: Riccati paper (29), (30), completed
    t_2 = r_I2_2 * y_I2_1 - (r_I2_1 * y_I2_2 + r_I2_2 * y_I1_1 - r_I2_1 * y_I1_2)
    t_3 = 1.0 / IA33
    t_4 = IA13 * t_3
    t_5 = IA23 * t_3
    Pb13 = t_2 * t_3
    IAh11 = IA11 - IA13 * t_4
    IAh12 = IA12 - IA13 * t_5
    IAh22 = IA22 - IA23 * t_5
    pAh1 = pA1 + IA13 * Pb13
    pAh2 = pA2 + IA23 * Pb13
    w.P11[..., 3] = -t_4
    w.P12[..., 3] = -t_5
    w.b[..., 3] = Pb13
    w.IAh11[..., 3] = IAh11
    w.IAh12[..., 3] = IAh12
    w.IAh22[..., 3] = IAh22
    w.pAh1[..., 3] = pAh1
    w.pAh2[..., 3] = pAh2


def _root_to_tips(v, a, w):
    # back-substitution, from the root to the tips
    # 7: accelerations of a body with 2 inputs
    b = w.b[..., 3]
    omega = v[..., 3]
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    r_I2_1 = 0.5 * w.c[..., 3]
    r_I2_2 = 0.5 * w.s[..., 3]
    rdd_I1_1 = b * r_I2_2 + w2 * r_I2_1
    t = b * r_I2_1
    t_2 = w2 * r_I2_2
    rdd_I1_2 = t_2 - t
    rdd_I2_2 = t - t_2
    a[..., 3] = b
    w.rdd1[..., 0] = rdd_I1_1
    w.rdd2[..., 0] = rdd_I1_2
    w.rdd1[..., 2] = -rdd_I1_1
    w.rdd2[..., 2] = rdd_I2_2
    # 5: accelerations of a body with one input
    c = w.c[..., 2]
    s = w.s[..., 2]
    rdd1 = w.rdd1[..., 2]
    rdd2 = w.rdd2[..., 2]
    omega = v[..., 2]
    # back-substitution: Riccati paper (33), completed
    Omegad = w.P12[..., 2] * rdd2 + (w.b[..., 2] + w.P11[..., 2] * rdd1)
    # Riccati paper (14): acceleration of a point of a rigid body
    w2 = omega * omega
    rdd_I1_1 = c * w2 + (rdd1 + s * Omegad)
    rdd_I1_2 = rdd2 + s * w2 - c * Omegad
    a[..., 2] = Omegad
    w.rdd1[..., 1] = rdd_I1_1
    w.rdd2[..., 1] = rdd_I1_2
    # 3: accelerations of a body with no input
    # back-substitution: Riccati paper (33), completed
    Omegad = w.P12[..., 1] * w.rdd2[..., 1] + (w.b[..., 1] + w.P11[..., 1] * w.rdd1[..., 1])
    a[..., 1] = Omegad
    # 1: accelerations of a body with no input
    # back-substitution: Riccati paper (33), completed
    Omegad = w.P12[..., 0] * w.rdd2[..., 0] + (w.b[..., 0] + w.P11[..., 0] * w.rdd1[..., 0])
    a[..., 0] = Omegad


def _hinge_loads(loads, w):
    # loads at every hinge
    # 1: loads at a hinge
    IAh12 = w.IAh12[..., 0]
    rdd1 = w.rdd1[..., 0]
    rdd2 = w.rdd2[..., 0]
    # Riccati paper (31): z_a = S z_b + e
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
    # Riccati paper (31): z_a = S z_b + e
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
    # Riccati paper (31): z_a = S z_b + e
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
    zb1 = c * w2 + (rdd1 + s * a_)
    zb2 = rdd2 + s * w2 - c * a_
    IAh12 = w.IAh12[..., 0]
    # Riccati paper (31): z_a = S z_b + e
    lam1 = rdd2 * IAh12 + (w.pAh1[..., 0] + rdd1 * w.IAh11[..., 0])
    lam2 = rdd2 * w.IAh22[..., 0] + (w.pAh2[..., 0] + rdd1 * IAh12)
    # Riccati paper (2)
    t = -lam1
    t_2 = -lam2
    zb[..., 0] = zb1
    zb[..., 1] = zb2
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
    zb1 = c * w2 + (rdd1 + s * a_)
    zb2 = rdd2 + s * w2 - c * a_
    IAh12 = w.IAh12[..., 1]
    # Riccati paper (31): z_a = S z_b + e
    lam1 = rdd2 * IAh12 + (w.pAh1[..., 1] + rdd1 * w.IAh11[..., 1])
    lam2 = rdd2 * w.IAh22[..., 1] + (w.pAh2[..., 1] + rdd1 * IAh12)
    # Riccati paper (2)
    t = -lam1
    t_2 = -lam2
    zb[..., 12] = zb1
    zb[..., 13] = zb2
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
    zb1 = c * w2 + (rdd1 + s * a_)
    zb2 = rdd2 + s * w2 - c * a_
    IAh12 = w.IAh12[..., 2]
    # Riccati paper (31): z_a = S z_b + e
    lam1 = rdd2 * IAh12 + (w.pAh1[..., 2] + rdd1 * w.IAh11[..., 2])
    lam2 = rdd2 * w.IAh22[..., 2] + (w.pAh2[..., 2] + rdd1 * IAh12)
    # Riccati paper (2)
    t = -lam1
    t_2 = -lam2
    zb[..., 24] = zb1
    zb[..., 25] = zb2
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
    zb2 = t_2 - t
    zb2_2 = t - t_2
    # Riccati paper (2)
    t_3 = -w.pAh1[..., 3]
    t_4 = -w.pAh2[..., 3]
    zb[..., 36] = zb1
    zb[..., 37] = zb2
    zb[..., 38] = 0.0
    zb[..., 39] = 0.0
    zb[..., 40] = 0.0
    zb[..., 41] = a_
    zb[..., 42] = -zb1
    zb[..., 43] = zb2_2
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
    x_I1_1 = w.x1[..., 2] - w.c[..., 2]
    x_I1_2 = w.x2[..., 2] - w.s[..., 2]
    w.x1[..., 1] = x_I1_1
    w.x2[..., 1] = x_I1_2


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
    x_I1_2 = w.x2[..., 2] - s
    # ṙ_P = ṙ_O + Ω × r
    rd_I1_1 = w.rd1[..., 2] + s * omega
    rd_I1_2 = w.rd2[..., 2] - w.c[..., 2] * omega
    w.x2[..., 1] = x_I1_2
    w.rd1[..., 1] = rd_I1_1
    w.rd2[..., 1] = rd_I1_2


def _body_poses(poses, w):
    # pose of every body
    # 1: pose of a body
    c = w.c[..., 0]
    s = w.s[..., 0]
    # r_P = r_O + A r′
    o1 = w.x1[..., 0] - c
    o2 = w.x2[..., 0] - s
    poses[..., 0] = c
    poses[..., 1] = -s
    poses[..., 2] = 0.0
    poses[..., 3] = o1
    poses[..., 4] = s
    poses[..., 5] = c
    poses[..., 6] = 0.0
    poses[..., 7] = o2
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
    # r_P = r_O + A r′
    o1 = w.x1[..., 1] - c
    o2 = w.x2[..., 1] - s
    poses[..., 16] = c
    poses[..., 17] = -s
    poses[..., 18] = 0.0
    poses[..., 19] = o1
    poses[..., 20] = s
    poses[..., 21] = c
    poses[..., 22] = 0.0
    poses[..., 23] = o2
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
    # r_P = r_O + A r′
    o1 = w.x1[..., 2] - c
    o2 = w.x2[..., 2] - s
    poses[..., 32] = c
    poses[..., 33] = -s
    poses[..., 34] = 0.0
    poses[..., 35] = o1
    poses[..., 36] = s
    poses[..., 37] = c
    poses[..., 38] = 0.0
    poses[..., 39] = o2
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
    # E = T + V
    t_2 = 0.041666666666666664 * (omega * omega) + 0.5 * (vC1 * vC1 + vC2 * vC2)
    E = 9.81 * (w.x2[..., 0] - t) + t_2
    w.E[..., 0] = E
    # 3: kinetic and potential energy of a body
    omega = v[..., 1]
    # r_P = r_O + A r′
    t = 0.5 * w.s[..., 1]
    # ṙ_C = ṙ_O + Ω × r
    vC1 = w.rd1[..., 1] + omega * t
    vC2 = w.rd2[..., 1] - omega * (0.5 * w.c[..., 1])
    # E = T + V
    t_2 = 0.5 * (vC1 * vC1 + vC2 * vC2) + (w.E[..., 0] + 0.041666666666666664 * (omega * omega))
    E = 9.81 * (w.x2[..., 1] - t) + t_2
    w.E[..., 1] = E
    # 5: kinetic and potential energy of a body
    omega = v[..., 2]
    # r_P = r_O + A r′
    t = 0.5 * w.s[..., 2]
    # ṙ_C = ṙ_O + Ω × r
    vC1 = w.rd1[..., 2] + omega * t
    vC2 = w.rd2[..., 2] - omega * (0.5 * w.c[..., 2])
    # E = T + V
    t_2 = 0.5 * (vC1 * vC1 + vC2 * vC2) + (w.E[..., 1] + 0.041666666666666664 * (omega * omega))
    E = 9.81 * (w.x2[..., 2] - t) + t_2
    w.E[..., 2] = E
    # 7: kinetic and potential energy of a body
    omega = v[..., 3]
    # E = T + V
    E = w.E[..., 2] + 0.041666666666666664 * (omega * omega)
    energy[..., 0] = E


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


class Method:
    """A method of integration: coefficients of its stages, and what its increments mean.

    Stage i stands at c_i h, moved by x = h Σ_j a_ij k_j, k_i being the rates there; the step ends
    with b for a_i. `error` weighs the stages for the error, `dense` for what a cubic lacks.
    """

    def __init__(self, stages, curved, staggered, adaptive, a, b, c, error, dense):
        self.stages, self.curved, self.staggered, self.adaptive = stages, curved, staggered, adaptive
        self.a = [np.array(row) for row in a]
        self.b, self.c = np.array(b), np.array(c)
        self.error, self.dense = np.array(error), np.array(dense)


METHODS = (
    # rk4: classical Runge-Kutta; quaternions are brought back to unit length (Riccati paper, Sect. 5.1)
    Method(
        4,
        False,
        False,
        False,
        [
            [],
            [1.0 / 2.0],
            [0.0, 1.0 / 2.0],
            [0.0, 0.0, 1.0],
        ],
        [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
        [0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0],
        [],
        [],
    ),
    # euler: semi-implicit Euler: the speeds first, the coordinates with the new ones (own)
    Method(
        1,
        True,
        True,
        False,
        [
            [],
        ],
        [1.0],
        [0.0],
        [],
        [],
    ),
    # rkmk4: Munthe-Kaas: Runge-Kutta on increments of the orientations (screw paper (89), (90))
    Method(
        4,
        True,
        False,
        False,
        [
            [],
            [1.0 / 2.0],
            [0.0, 1.0 / 2.0],
            [0.0, 0.0, 1.0],
        ],
        [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
        [0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0],
        [],
        [],
    ),
    # dopri5: Dormand-Prince 5(4) with a continuous result of order 4 (Dormand and Prince 1980; Shampine 1986)
    Method(
        7,
        True,
        False,
        True,
        [
            [],
            [1.0 / 5.0],
            [3.0 / 40.0, 9.0 / 40.0],
            [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
            [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
            [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
            [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
        ],
        [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0],
        [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0],
        [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0],
        [-12715105075.0 / 11282082432.0, 0.0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0],
    ),
)

DONE, NOT_FINITE, OPEN, TOO_SMALL, UNDER_WAY, STOPPED, FAILED = range(7)


class Motion:
    """A motion on its way from one state.

    Methods of fixed steps take `whole` steps dt and, if it is not zero, one of length `rest`; every
    `stride` steps and the end are recorded. The others end at `end` and record at `times`.
    `watcher(t, q, v)` gives the values of event functions; what is found is (time, event, q, v).
    """

    def __init__(self, method, q, v, *, start, end, dt, whole, rest, stride,
                 rtol, atol, times, watcher, direction, terminal):
        self.of = METHODS[method]
        self.q, self.v = q.copy(), v.copy()
        self.start, self.end, self.dt, self.whole, self.rest = start, end, dt, whole, rest
        self.stride, self.rtol, self.atol, self.times = stride, rtol, atol, times
        self.watcher, self.direction, self.terminal = watcher, direction, terminal
        self.w = Work(())
        self.t, self.h, self.before, self.done = start, 0.0, 1e-4, 0
        self.found, self.rows = [], [(self.q.copy(), self.v.copy())]
        self.shrunk, self.state = False, UNDER_WAY
        self.x = np.zeros_like(self.q)
        self.k_q = np.zeros((self.of.stages, 4))
        self.k_v = np.zeros((self.of.stages, 4))
        self.values = self._watch(start, self.q, self.v) if watcher else None
        if self.of.adaptive:
            self._first_stage(True)
            self._guess()
            if not (np.isfinite(self.k_q[0]).all() and np.isfinite(self.k_v[0]).all()):
                self.state = NOT_FINITE

    def advance(self, steps):
        """Goes on for so many steps at most, taken or not; true where it is still under way."""
        while steps > 0 and self.state == UNDER_WAY:
            self.h = self._length()
            self._step_over(1 if self.of.adaptive else 0, self.h)
            if self._is_taken():
                q, v = self.at_q, self.at_v
                self.q, self.v = self._follow(q, v)
                if self.of.adaptive:
                    self._first_stage(False)
            self.done += 1
            steps -= 1
        return self.state == UNDER_WAY

    def _displace(self, weights, h):
        """Into at_q, at_v: the state that the weighted stages lead to in h; into x the increments."""
        self.at_v = self.v + h * (weights @ self.k_v[: len(weights)])
        self.x = h * (weights @ self.k_q[: len(weights)])
        self.at_q = self.q + self.x

    def _increment_rates(self, s):
        rates(self.at_v, self.k_q[s], self.w)

    def _stage(self, s, t):
        self._increment_rates(s)
        accelerations(self.at_q, self.at_v, self.k_v[s], self.w)

    def _step_over(self, first, h):
        of = self.of
        for s in range(first, of.stages):
            self._displace(of.a[s], h)
            self._stage(s, self.t + of.c[s] * h)
        if of.adaptive:
            return  # the last stage stands at the end
        if of.staggered:
            self.at_v = self.v + h * (of.b @ self.k_v)
            self._increment_rates(0)
        self._displace(of.b, h)

    def _first_stage(self, anew):
        """The first stage of the next step: the last one of the step before, unless anew."""
        self._displace(self.of.a[0], 0.0)
        if anew:
            self._stage(0, self.t)
            return
        self.k_v[0] = self.k_v[-1]
        self.k_q[0] = self.k_q[-1]

    def _squares(self, e_q, e_v, q, v):
        """The squares of errors by what is allowed from here to there, summed."""
        allowed_q = self.atol + self.rtol * np.maximum(np.abs(self.q), np.abs(q))
        allowed_v = self.atol + self.rtol * np.maximum(np.abs(self.v), np.abs(v))
        return np.sum((e_q / allowed_q) ** 2) + np.sum((e_v / allowed_v) ** 2)

    def _guess(self):
        """How long the first step is, by how fast the state changes."""
        size = self._squares(self.q, self.v, self.q, self.v)
        rate = self._squares(self.k_q[0], self.k_v[0], self.q, self.v)
        self.size = 0.01 * np.sqrt(size / rate) if size > 0.0 and rate > 0.0 else 1e-6

    def _length(self):
        if not self.of.adaptive:
            return self.dt if self.done < self.whole else self.rest
        left = self.end - self.t
        return self.size if 1.01 * self.size < left else left

    def _is_taken(self):
        """Is the step taken? Says how long the next one is: proportional-integral control.

        With the exponents of Hairer, Norsett and Wanner.
        """
        sound = np.isfinite(self.at_q).all() and np.isfinite(self.at_v).all()
        if not self.of.adaptive:
            self.state = UNDER_WAY if sound else NOT_FINITE
            return sound
        e_q, e_v = self.h * (self.of.error @ self.k_q), self.h * (self.of.error @ self.k_v)
        error = np.sqrt(self._squares(e_q, e_v, self.at_q, self.at_v) / 8)
        if sound and error <= 1.0:
            factor = 0.9 * max(error, 1e-300) ** (0.75 * 0.04 - 0.2) * self.before**0.04
            self.size = self.h * max(0.2, min(factor, 1.0 if self.shrunk else 10.0))
            self.before, self.shrunk = max(error, 1e-4), False
            return True
        self.size = self.h * (max(0.2, 0.9 * error**-0.2) if sound and np.isfinite(error) else 0.2)
        self.shrunk = True
        if self.size <= 16.0 * np.finfo(float).eps * abs(self.t) or self.size < np.finfo(float).tiny:
            self.state = TOO_SMALL
        return False

    def _inside(self, part):
        """The state after a part of the step: from the continuous result, or by a shorter step."""
        if self.of.adaptive:
            rest = 1.0 - part
            weights = part * part * ((3.0 - 2.0 * part) * self.of.b + rest * rest * self.of.dense)
            weights[0] += part * rest * rest
            weights[-1] -= part * part * rest
            self._displace(weights, self.h)
        else:
            self._step_over(0, part * self.h)
        return self.at_q.copy(), self.at_v.copy()

    def _watch(self, t, q, v):
        return np.array(self.watcher(t, q, v))

    def _root(self, e, before, after):
        """The part of the step after which event e has come: Illinois' secants, now and then halving."""
        low, high, below, above, last = 0.0, 1.0, before[e], after[e], 0
        for n in range(200):
            if above == 0.0 or high - low <= 2.0 * np.finfo(float).eps:
                break
            part = high - above * (high - low) / (above - below)
            if n % 4 == 3 or not low < part < high:
                part = 0.5 * (low + high)
            now = self._watch(self.t + part * self.h, *self._inside(part))[e]
            if now != 0.0 and (now < 0.0) == (before[e] < 0.0):
                low, below, above, last = part, now, above * (0.5 if last == 1 else 1.0), 1
            else:
                high, above, below, last = part, now, below * (0.5 if last == 2 else 1.0), 2
        return high

    def _happen(self, q, v):
        """Lists the events of the step in their order; the part after which the motion ends, or 2."""
        before, after = self.values, self._watch(self.t + self.h, q, v)
        self.values = after
        rises = (before < 0.0) & (after >= 0.0) & (self.direction >= 0)
        falls = (before > 0.0) & (after <= 0.0) & (self.direction <= 0)
        for part, e in sorted((self._root(e, before, after), e) for e in np.flatnonzero(rises | falls)):
            state = (q.copy(), v.copy()) if part == 1.0 else self._inside(part)
            self.found.append((self.t + part * self.h, int(e), *state))
            if self.terminal[e]:
                return part
        return 2.0

    def _follow(self, q, v):
        """What the step passes: events, records, perhaps the end; the state that it leads to."""
        last = self.h >= self.end - self.t if self.of.adaptive else self.done + 1 >= self.whole + (self.rest > 0.0)
        after = self.t + self.h if self.of.adaptive else self.start + (self.done + 1) * self.dt
        after = self.end if last else after
        part = self._happen(q, v) if self.watcher else 2.0
        stops = part <= 1.0
        now = self.t + part * self.h if stops else after
        while self.of.adaptive and len(self.rows) < len(self.times) and self.times[len(self.rows)] < now:
            self.rows.append(self._inside((self.times[len(self.rows)] - self.t) / self.h))
        if part < 1.0:
            q, v = self._inside(part)
        if self.of.adaptive:
            due = len(self.rows) < len(self.times) and self.times[len(self.rows)] == now
        else:
            due = (self.done + 1) % self.stride == 0
        if due or last or stops:
            self.rows.append((q.copy(), v.copy()))
        self.t = now
        self.state = STOPPED if stops else DONE if last else UNDER_WAY
        return q, v
