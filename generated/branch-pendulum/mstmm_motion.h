/* Motions of multibody systems: integrators, events, and loops that stay closed.
 *
 * The same for every model that mstmm writes. Buffers belong to the caller; nothing is allocated
 * and nothing is global. A motion of a model from (q, v) for 10 s, recorded every 0.1 s:
 *
 *     NAME_work w;
 *     double *memory = malloc(mstmm_memory(&NAME_model) * sizeof *memory);
 *     double *run_q = malloc(102 * NAME_model.nq * sizeof *run_q);
 *     double *run_v = malloc(102 * NAME_model.nv * sizeof *run_v);
 *     mstmm_motion m = {.model = &NAME_model, .work = &w, .memory = memory, .method = MSTMM_RK4,
 *                       .end = 10.0, .dt = 1e-3, .whole = 10000, .stride = 100, .records = 101,
 *                       .run_q = run_q, .run_v = run_v};
 *     const char *missing = mstmm_begin(&m, 1, q, v, given);
 *     while (mstmm_advance(&m, 1000)) {}
 *
 * Nothing is missing where `missing` is 0. Then m.state[0] says how the motion has ended, which is
 * MSTMM_DONE where it has come to its end, and m.recorded[0] states lie in run_q and run_v, one after
 * another. `given` are the inputs that NAME.h lists at NAME_model, in that order.
 */
#ifndef MSTMM_MOTION_H
#define MSTMM_MOTION_H

#ifdef __cplusplus
extern "C" {
#endif

/* Methods of integration. */
enum { MSTMM_RK4, MSTMM_EULER, MSTMM_RKMK4, MSTMM_DOPRI5, MSTMM_RADAU5 };

/* What becomes of a motion: it ends; leaves the numbers; its loops cannot be closed; needs steps
 * below rounding; goes on; ends at an event; a function of the caller fails; needs steps without end;
 * comes to a singular position of the loops from which it can go on in more than one way. */
enum {
    MSTMM_DONE, MSTMM_NOT_FINITE, MSTMM_OPEN, MSTMM_TOO_SMALL,
    MSTMM_UNDER_WAY, MSTMM_STOPPED, MSTMM_FAILED, MSTMM_ENDLESS,
    MSTMM_UNDECIDED
};

/* A model as an integrator sees it. `lanes` states lie side by side: x[lanes * j + l] is number j of
 * state l. `turn_q`, `turn_v`: where quaternions stand in q, and the angular velocities that turn
 * them in v. `closed`: within what each of the loops' `conditions` is kept. `given` are further
 * inputs of so many `sizes`, constant on the way; `solves` note what they meet; `work` is the model's workspace. Functions return
 * 0, or 1 when a result is not finite; a model without quaternions, joint momenta or loops has 0
 * for what belongs to them.
 *     rates          q' from the speeds u
 *     accelerations  v' at (t, q, v); where v are joint momenta, their rates, and into u the speeds
 *     retract        q with quaternions of unit length
 *     speeds         u of joint momenta p
 *     constraints    how far loops are open, and how fast
 *     correction     the speeds, least in the kinetic energy, that close such openings in unit time
 *     regauge        the joint momenta of the same motion with impulses of the cuts of zero
 *     met            what solves for multipliers have met, in the workspace: see mstmm_solve.h */
typedef struct {
    int lanes, nq, nv, conditions, turns, inputs, solves;
    const int *turn_q, *turn_v, *sizes;
    const double *closed;
    int (*rates)(const double *q, const double *u, double *qd, void *work);
    int (*accelerations)(const double *t, const double *q, const double *v, double *u, double *vd,
                         const double *const *given, void *work);
    int (*retract)(const double *q, double *unit, void *work);
    int (*speeds)(const double *t, const double *q, const double *p, double *u,
                  const double *const *given, void *work);
    int (*constraints)(const double *t, const double *q, const double *v, double *phi, double *phid,
                       const double *const *given, void *work);
    int (*correction)(const double *t, const double *q, const double *phi, double *u,
                      const double *const *given, void *work);
    int (*regauge)(const double *t, const double *q, const double *p, double *gauged,
                   const double *const *given, void *work);
    double *(*met)(void *work);
} mstmm_model;

/* When laws jump or bend in time. No step passes a jump, and no stage sees its other side: `before` and
 * `after` are the nearest times that are that for sure. */
typedef struct {
    double before, time, after;
} mstmm_jump;

/* The values of event functions at a state of a motion; anything but 0 ends the motion. */
typedef int (*mstmm_watcher)(double t, const double *q, const double *v, double *values, void *data);

/* What gives a model's inputs: `count` values of a function of a state, of the type of event functions,
 * go to the given[given[i]][number[i]]. It acts at all times; one that is `sampled` acts at the jumps
 * where it is due, and its values are held between. */
typedef struct {
    mstmm_watcher law;
    void *data;
    int count, sampled;
    const int *given, *number;
    double *values;
} mstmm_controller;

/* Values over time, so many `columns` of them a time: `held` from each time to the next, or in between
 * on straight lines; before the first and after the last time as there. */
typedef struct {
    long count;
    int columns, held;
    const double *times, *values;
} mstmm_table;

/* constant - gains (q, v), in so many `rows`. Q and -Q are one turn: each quaternion is read on the side
 * on which it is in `near`. `turns` says of each coordinate where its quaternion begins, or -1. What the
 * law `leads` gives, of as many rows, is added, unless there is none. */
typedef struct {
    int rows, nq, nv;
    const int *turns;
    const double *constant, *gains, *near;
    mstmm_watcher leads;
    void *data;
} mstmm_feedback;

/* What a law gives, so many values, each within its limits. */
typedef struct {
    mstmm_watcher law;
    void *data;
    int count;
    const double *lower, *upper;
} mstmm_limits;

/* The laws of controllers whose data are a mstmm_table, a mstmm_feedback or a mstmm_limits. */
int mstmm_read_table(double t, const double *q, const double *v, double *u, void *data);
int mstmm_feed_back(double t, const double *q, const double *v, double *u, void *data);
int mstmm_keep_within(double t, const double *q, const double *v, double *u, void *data);

/* What is known of the conditions of a motion's loops, for accelerations and for corrections by each
 * solve: their rank, and their least pivot where that was largest. `level`: the root of the least
 * pivot, as a part of that, where the step began at `since`; `lowest` among the stages from there on, how fast it
 * changed between them at most, and the last, of `when`. `passing`: when the singular position comes
 * that was seen last, `from` so far, seen within `near`; the last one listed, and how far apart others are.
 * `floor`: the pivot of a condition that follows from others, where loops were open last. */
typedef struct {
    double *rank[2], *firm[2], *floor[2], level, since, lowest, steepest, last, when, passing, from, near, passed, apart;
} mstmm_known;

/* The derivatives of a model's accelerations, which implicit methods need; they may be those of
 * another library. Into rows da of so many `columns`, of so many states one after another: along the
 * motions at each speed, of the speeds, of others. Their inputs are the motion's of these numbers in
 * `given`. `memory` are mstmm_implicit_memory doubles to work with. */
typedef struct {
    int (*evaluate)(long states, const double *t, const double *q, const double *v, double *a, double *da,
                    const double *const *given, void *work);
    void *work;
    int columns, inputs, given[8];
    double *memory;
} mstmm_tangents;

/* What Newton's iterations of an implicit method know: are derivatives to be taken anew, are they those
 * of this state, are there factors, for steps of which `length`; how fast they came to their end; and
 * how long the step before was. */
typedef struct {
    int stale, fresh, factored, failed, iterations;
    double length, theta, rate, eta, past;
} mstmm_newton;

/* A motion on its way, or one in each lane. In `v` and its like may be joint momenta; a `plain` motion
 * of them is not kept on closed loops with impulses of the cuts of zero. */
typedef struct {
    /* Set by the caller before mstmm_begin: the model, its workspace, and mstmm_memory(model) doubles
     * to work with. Methods of fixed steps take `whole` steps dt from `start` and, if it is not zero,
     * one of length `rest`, which ends at `end`; every `stride` steps and the end are recorded; the
     * `first` steps were done before. The others go from `start` to `end` in steps of `max_step` at
     * most, if it is not zero, and record at `times`, the first of which is `start`. run_q and run_v
     * have places for one record more in each lane, the event's. */
    const mstmm_model *model;
    void *work;
    double *memory;
    int method, events, plain;
    double start, end, dt, rest, rtol, atol, max_step;
    long whole, first, stride, records, room;
    const double *times;
    long jump_count;
    const mstmm_jump *jumps; /* in their order */
    double *run_q, *run_v;
    /* Controllers: which are due at a jump, a row for each; of `controlled` values in all the records. */
    int controllers, controlled;
    const mstmm_controller *control;
    const unsigned char *due;
    double *run_u;
    /* Implicit methods need the derivatives; without them a motion has failed. */
    const mstmm_tangents *tangents;
    /* Events: 4 values each and lane to work with; what is found, up to `room`. A singular position
     * of the loops is listed too, as the event after the last. Where there are neither events nor loops
     * no room is needed. */
    mstmm_watcher watcher;
    void *data;
    const int *direction, *terminal;
    double *values, *found_t, *found_q, *found_v;
    int *found_event, *found_state;
    /* Read by the caller between calls of mstmm_advance, who empties `found`. */
    long found, done, recorded[16];
    int state[16];
    double t[16];
    /* The integrator's own: y = (q, v), where it stands, in a step and after it. */
    int taken[16], shrunk[16], anew[16];
    long leg[16];
    double h[16], to[16], size[16], error[16], before[16], since[16], at_t[16];
    mstmm_known known[16];
    mstmm_newton newton[16];
    double *y, *at, *next, *x, *k, *lengths, *u, *row, *row_u, *openings, *aside, *moves, *solved;
    double *given[8], *row_given[8];
} mstmm_motion;

/* How many doubles a motion of the model needs. */
long mstmm_memory(const mstmm_model *model);

/* How many doubles an implicit method needs besides; of `tangents` the columns and inputs count. */
long mstmm_implicit_memory(const mstmm_model *model, const mstmm_tangents *tangents);

/* Begins motions from up to `lanes` states, records them and evaluates what the method needs. Returns 0,
 * or in words what is missing: then no motion has begun, and mstmm_advance does nothing. */
const char *mstmm_begin(mstmm_motion *m, int states, const double *q, const double *v, const double *const *given);

/* Goes on for so many steps at most, taken or not, and as long as there is room for what may be found;
 * 1 where a motion is still under way. */
int mstmm_advance(mstmm_motion *m, long steps);

/* Closes the loops near (q, v) in place; returns 2 when they cannot be closed from there. `openings`
 * has room for 2 (conditions + nq) + nv numbers of each lane. */
int mstmm_close(const mstmm_model *model, const double *t, double *q, double *v,
                const double *const *given, double *openings, void *work);

#ifdef __cplusplus
}
#endif

#endif
