/* Riccati transfer matrix method, fast form: branch-pendulum
 *
 * Buffers belong to the caller; nothing is allocated and nothing is global.
 * Lengths: q 4, v 4, a 4, loads 24, za 60, zb 60, poses 64, energy 1, qd 4.
 * SI units, radians. Every function returns 0, or 1 when a result is not finite.
 *
 * function            + -   * / sqrt other sincos stack tables loops tests
 * orientation           0   0 0    0     0      4    24      0     4     1
 * tips_to_root         59  86 2    0     3      0   576      0     2     0
 * root_to_tips         13  18 0    0     1      0   168      0     2     0
 * hinge_loads          12  12 0    0     8      0   136      0     3     0
 * end_states           27  34 0    0     9      0   240      0     2     0
 * places_poses          2   2 0    0     2      0    48      0     0     0
 * body_poses            6   2 0    0     6      0    56      0     3     0
 * places                3   6 0    0     3      0    88      0     0     0
 * energies             21  32 0    0     0      0   192      0     2     0
 * rates                 0   0 0    0     0      0     8      0     4     0
 * entry accelerations  72 104 2    0     4      4   576      0     8     1
 * entry joint_loads    84 116 2    0    12      4   576      0    11     1
 * entry end_states     99 138 2    0    13      4   576      0    10     1
 * entry poses           8   4 0    0     8      4    56      0     7     1
 * entry energy         24  38 0    0     3      4   192      0     6     1
 * entry rates           0   0 0    0     0      0     8      0     4     0
 * held from step to step: 544 bytes
 * One call each; an entry's is the sum of its steps' calls. sincos: pairs of a
 * sine and a cosine; other: signs and further elementary functions; stack, tables:
 * bytes; loops: how often the bodies of all loops run; tests: where the path
 * depends on numbers (range of an angle, step function); solves are named.
 */
#ifndef BRANCH_PENDULUM_H
#define BRANCH_PENDULUM_H

#include "mstmm_motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Places in q and qd, by coordinate */
enum {
    BRANCH_PENDULUM_Q_1 = 0,
    BRANCH_PENDULUM_Q_3 = 1,
    BRANCH_PENDULUM_Q_5 = 2,
    BRANCH_PENDULUM_Q_7 = 3
};

/* Places in v and a, by speed */
enum {
    BRANCH_PENDULUM_V_1 = 0,
    BRANCH_PENDULUM_V_3 = 1,
    BRANCH_PENDULUM_V_5 = 2,
    BRANCH_PENDULUM_V_7 = 3
};

/* Places in loads, by end: moment, then force */
enum {
    BRANCH_PENDULUM_LOADS_1_O = 0,
    BRANCH_PENDULUM_LOADS_3_O = 6,
    BRANCH_PENDULUM_LOADS_5_O = 12,
    BRANCH_PENDULUM_LOADS_7_O = 18
};

/* Places in za and zb, by end: six numbers each */
enum {
    BRANCH_PENDULUM_STATE_1_I = 0,
    BRANCH_PENDULUM_STATE_1_O = 6,
    BRANCH_PENDULUM_STATE_3_I = 12,
    BRANCH_PENDULUM_STATE_3_O = 18,
    BRANCH_PENDULUM_STATE_5_I = 24,
    BRANCH_PENDULUM_STATE_5_O = 30,
    BRANCH_PENDULUM_STATE_7_I1 = 36,
    BRANCH_PENDULUM_STATE_7_I2 = 42,
    BRANCH_PENDULUM_STATE_7_O = 48,
    BRANCH_PENDULUM_STATE_HINGE_8_O = 54
};

/* Places in poses, by body: four rows of four */
enum {
    BRANCH_PENDULUM_POSE_1 = 0,
    BRANCH_PENDULUM_POSE_3 = 16,
    BRANCH_PENDULUM_POSE_5 = 32,
    BRANCH_PENDULUM_POSE_7 = 48
};

/* Workspace of one evaluation: everything that one step hands to another. */
typedef struct {
    double c[4];
    double s[4];
    double P11[4];
    double P12[4];
    double b[4];
    double IAh11[4];
    double IAh12[4];
    double IAh22[4];
    double pAh1[4];
    double pAh2[4];
    double rdd1[4];
    double rdd2[4];
    double x1[4];
    double x2[4];
    double rd1[4];
    double rd2[4];
    double E[4];
    double angles[8], sines[8], cosines[8];
} branch_pendulum_work;

/* accelerations of the coordinates; operations: 190 (72 additions, 2 divisions, 104 multiplications, 4 negations, 8 sines and cosines) */
int branch_pendulum_accelerations(const double *q, const double *v, double *a, branch_pendulum_work *w);

/* loads at the hinges, moment then force, that the tip side exerts on the root side; operations: 222 (84 additions, 2 divisions, 116 multiplications, 12 negations, 8 sines and cosines) */
int branch_pendulum_joint_loads(const double *q, const double *v, double *a, double *loads, branch_pendulum_work *w);

/* accelerations and loads at every end of every element; operations: 260 (99 additions, 2 divisions, 138 multiplications, 13 negations, 8 sines and cosines) */
int branch_pendulum_end_states(const double *q, const double *v, double *a, double *za, double *zb, branch_pendulum_work *w);

/* pose of every body; operations: 28 (8 additions, 4 multiplications, 8 negations, 8 sines and cosines) */
int branch_pendulum_poses(const double *q, double *poses, branch_pendulum_work *w);

/* kinetic plus potential energy; operations: 73 (24 additions, 38 multiplications, 3 negations, 8 sines and cosines) */
int branch_pendulum_energy(const double *q, const double *v, double *energy, branch_pendulum_work *w);

/* rates of the coordinates; operations: 0 */
int branch_pendulum_rates(const double *v, double *qd, branch_pendulum_work *w);

/* The model as the integrators of mstmm_motion.h see it. */
extern const mstmm_model branch_pendulum_model;

/* What branch_pendulum_rhs works with. */
typedef struct {
    branch_pendulum_work *w;
} branch_pendulum_data;

/* dydt of y = (q, v), for integrators of others; `data` is a branch_pendulum_data of this thread's own. */
int branch_pendulum_rhs(double t, const double *y, double *dydt, void *data);

#ifdef __cplusplus
}
#endif

#endif
