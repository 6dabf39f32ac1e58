/* Motions of multibody systems: the same for every model that mstmm writes. */
#include "mstmm_motion.h"
#include "mstmm_solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What no motion of a model needs may be left out, for a shorter compile: MSTMM_LOOPS is 0 where no
 * loops are closed, MSTMM_IMPLICIT where no implicit method is used. */
#ifndef MSTMM_LOOPS
#define MSTMM_LOOPS 1
#endif
#ifndef MSTMM_IMPLICIT
#define MSTMM_IMPLICIT 1
#endif

/* A method of integration. Stage i stands at c_i h, moved by x = h (a_i1 k_1 + a_i2 k_2 + ...), k_i
 * being the rates there; the step ends with b for a_i. `error` weighs the stages for the error,
 * `dense` for what a cubic between two steps lacks. An implicit method keeps the first rates, what
 * moves its stages by h, and the error for stages. */
enum { STAGES = 7 };

typedef struct {
    int stages, curved, staggered, adaptive, implicit;
    double a[STAGES][STAGES], b[STAGES], c[STAGES], error[STAGES], dense[STAGES];
} method;

static const method methods[5] = {
    /* rk4: classical Runge-Kutta; quaternions are brought back to unit length (Riccati paper, Sect. 5.1) */
    {
        4, 0, 0, 0, 0,
        {
            { 0.0 },
            { 1.0 / 2.0 },
            { 0.0, 1.0 / 2.0 },
            { 0.0, 0.0, 1.0 },
        },
        {
            1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0
        },
        {
            0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0
        },
        {
            0.0
        },
        {
            0.0
        },
    },
    /* euler: semi-implicit Euler: the speeds first, the coordinates with the new ones (own) */
    {
        1, 1, 1, 0, 0,
        {
            { 0.0 },
        },
        {
            1.0
        },
        {
            0.0
        },
        {
            0.0
        },
        {
            0.0
        },
    },
    /* rkmk4: Munthe-Kaas: Runge-Kutta on increments of the orientations (screw paper (89), (90)) */
    {
        4, 1, 0, 0, 0,
        {
            { 0.0 },
            { 1.0 / 2.0 },
            { 0.0, 1.0 / 2.0 },
            { 0.0, 0.0, 1.0 },
        },
        {
            1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0
        },
        {
            0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0
        },
        {
            0.0
        },
        {
            0.0
        },
    },
    /* dopri5: Dormand-Prince 5(4) with a continuous result of order 4 (Dormand and Prince 1980; Shampine 1986) */
    {
        7, 1, 0, 1, 0,
        {
            { 0.0 },
            { 1.0 / 5.0 },
            { 3.0 / 40.0, 9.0 / 40.0 },
            { 44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0 },
            { 19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0 },
            { 9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0 },
            { 35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0 },
        },
        {
            35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0,
            -2187.0 / 6784.0, 11.0 / 84.0, 0.0
        },
        {
            0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0,
            8.0 / 9.0, 1.0, 1.0
        },
        {
            71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0,
            -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0
        },
        {
            -12715105075.0 / 11282082432.0, 0.0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
            701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0
        },
    },
    /* radau5: Radau IIA, implicit, for stiff motion (Hairer and Wanner, Solving Ordinary Differential Equations II, Sect. IV.8) */
    {
        6, 1, 0, 1, 1,
        {
            { 0.0 },
        },
        {
            0.0, 0.0, 0.0, 1.0
        },
        {
            0.0, 0.1550510257216822, 0.6449489742783178, 1.0
        },
        {
            1.0, -10.048809399827416, 1.382142733160749, -0.3333333333333333
        },
        {
            0.0
        },
    },
};

/* Numbers are combined in blocks, which registers hold; arrays are filled up to blocks. */
#if defined(__GNUC__)
enum { BLOCK = 8 };
typedef double block __attribute__((vector_size(8 * BLOCK), aligned(8), may_alias));
#else
enum { BLOCK = 1 };
typedef double block;
#endif

static int count_q(const mstmm_motion *m)
{
    return m->model->lanes * m->model->nq;
}

static int filled(const mstmm_model *model)
{
    return (model->lanes * (model->nq + model->nv) + BLOCK - 1) / BLOCK * BLOCK;
}

static int is_adaptive(const mstmm_motion *m)
{
    return methods[m->method].adaptive;
}

static int is_implicit(const mstmm_motion *m)
{
    return MSTMM_IMPLICIT && methods[m->method].implicit;
}

/* Does the model say how firm the conditions of its loops are? */
static int judges_loops(const mstmm_model *model)
{
    return MSTMM_LOOPS && model->met;
}

/* ---- What controllers give -------------------------------------------------------------------- */

/* A lane of y as a row */
static void take_row(mstmm_motion *m, const double *y, int l)
{
    const int L = m->model->lanes;
    for (int j = 0; j < m->model->nq + m->model->nv; j++) {
        m->row[j] = y[j * L + l];
    }
}

/* What is given to a lane, and a time, in every lane */
static void take_given(mstmm_motion *m, double t, int l)
{
    const int L = m->model->lanes;
    for (int i = 0; i < m->model->inputs; i++) {
        for (int j = 0; j < L * m->model->sizes[i]; j++) {
            m->row_given[i][j] = m->given[i][j / L * L + l];
        }
    }
    for (int each = 0; each < L; each++) {
        m->at_t[each] = t;
    }
}

/* The speeds of the row, which follow from its joint momenta, if it has them; 0 if they do not */
static const double *row_speeds(mstmm_motion *m, double t, int l)
{
    const mstmm_model *const of = m->model;
    const int L = of->lanes;
    if (!of->speeds) {
        return m->row + of->nq;
    }
    for (int j = 0; j < L * (of->nq + of->nv); j++) {
        m->at[j] = m->row[j / L];
    }
    take_given(m, t, l);
    if (of->speeds(m->at_t, m->at, m->at + count_q(m), m->row_u,
                   (const double *const *)m->row_given, m->work)) {
        return 0;
    }
    for (int j = 0; j < of->nv; j++) {
        m->row_u[j] = m->row_u[j * L];
    }
    return m->row_u;
}

/* A time between two jumps of the laws, as these see it: never from the other side of one */
static double seen_at(const mstmm_motion *m, int l, double t)
{
    const long leg = m->leg[l];
    if (leg > 0 && t < m->jumps[leg - 1].after) {
        return m->jumps[leg - 1].after;
    }
    return leg < m->jump_count && t > m->jumps[leg].before ? m->jumps[leg].before : t;
}

/* Gives a lane what a controller says of the row; one that fails ends the motion */
static void act(mstmm_motion *m, const mstmm_controller *by, double t, const double *v, int l)
{
    if (!v || by->law(t, m->row, v, by->values, by->data)) {
        m->state[l] = MSTMM_FAILED;
        return;
    }
    for (int i = 0; i < by->count; i++) {
        m->given[by->given[i]][by->number[i] * m->model->lanes + l] = by->values[i];
    }
}

/* The controllers that act at all times, at the state `at` of a stage */
static void act_at_stage(mstmm_motion *m)
{
    const mstmm_model *const of = m->model;
    const int L = of->lanes;
    int any = 0;
    for (int i = 0; i < m->controllers; i++) {
        any |= !m->control[i].sampled;
    }
    if (any && of->speeds) {
        of->speeds(m->at_t, m->at, m->at + count_q(m), m->u, (const double *const *)m->given, m->work);
    }
    for (int l = 0; any && l < L; l++) {
        take_row(m, m->at, l);
        for (int j = 0; of->speeds && j < of->nv; j++) {
            m->row[of->nq + j] = m->u[j * L + l];
        }
        for (int i = 0; i < m->controllers && m->state[l] == MSTMM_UNDER_WAY; i++) {
            if (!m->control[i].sampled) {
                act(m, &m->control[i], m->at_t[l], m->row + of->nq, l);
            }
        }
    }
}

/* Behind a jump of the laws the motion starts anew, and controllers that are due act, on the state y;
 * none acts for a lane that does not move */
static void pass_jump(mstmm_motion *m, const double *y, int l)
{
    m->anew[l] = m->leg[l] < m->jump_count && m->t[l] >= m->jumps[m->leg[l]].before;
    if (!m->anew[l]) {
        return;
    }
    const unsigned char *const due = m->due + m->leg[l]++ * m->controllers;
    for (int i = 0; i < m->controllers; i++) {
        if (due[i] && m->state[l] == MSTMM_UNDER_WAY) {
            const mstmm_controller *const by = &m->control[i];
            const double t = seen_at(m, l, m->t[l]);
            take_row(m, y, l);
            act(m, by, t, row_speeds(m, t, l), l);
            for (int k = 0; k < by->count; k++) {
                m->state[l] = by->values[k] - by->values[k] == 0.0 ? m->state[l] : MSTMM_FAILED;
            }
        }
    }
}

/* Gives a lane what another one is given */
static void give_alike(mstmm_motion *m, int from, int l)
{
    const int L = m->model->lanes;
    for (int i = 0; i < m->model->inputs; i++) {
        for (int j = 0; j < L * m->model->sizes[i]; j += L) {
            m->given[i][j + l] = m->given[i][j + from];
        }
    }
}

/* What controllers give at the row and the time of a record */
static void record_inputs(mstmm_motion *m, double *u, double t, int l)
{
    for (int i = 0; i < m->controllers; i++) {
        const mstmm_controller *const by = &m->control[i];
        if (!by->sampled) {
            act(m, by, seen_at(m, l, t), row_speeds(m, t, l), l);
        }
        for (int k = 0; k < by->count; k++) {
            *u++ = m->given[by->given[k]][by->number[k] * m->model->lanes + l];
        }
    }
}

int mstmm_read_table(double t, const double *q, const double *v, double *u, void *data)
{
    const mstmm_table *const of = data;
    long first = 0, last = of->count - 1;
    (void)q, (void)v;
    while (last - first > 1) {
        const long middle = first + (last - first) / 2;
        if (of->times[middle] <= t) {
            first = middle;
        } else {
            last = middle;
        }
    }
    const double *const one = of->values + first * of->columns, *const other = of->values + last * of->columns;
    const double span = of->times[last] - of->times[first];
    double part = span > 0.0 ? (t - of->times[first]) / span : 0.0;
    part = part < 0.0 ? 0.0 : part >= 1.0 ? 1.0 : of->held ? 0.0 : part;
    for (int i = 0; i < of->columns; i++) {
        u[i] = one[i] + part * (other[i] - one[i]);
    }
    return 0;
}

/* The coordinate, of a quaternion that is on the other side than the one near it with its sign changed. */
static double on_side(const mstmm_feedback *of, const double *q, int j)
{
    double along = 0.0;
    for (int k = of->turns[j]; k >= 0 && k < of->turns[j] + 4; k++) {
        along += q[k] * of->near[k];
    }
    return along < 0.0 ? -q[j] : q[j];
}

int mstmm_feed_back(double t, const double *q, const double *v, double *u, void *data)
{
    const mstmm_feedback *const of = data;
    const double *gain = of->gains;
    if (of->leads && of->leads(t, q, v, u, of->data)) {
        return 1;
    }
    for (int i = 0; i < of->rows; i++) {
        u[i] = of->constant[i] + (of->leads ? u[i] : 0.0);
        for (int j = 0; j < of->nq; j++) {
            u[i] -= *gain++ * on_side(of, q, j);
        }
        for (int j = 0; j < of->nv; j++) {
            u[i] -= *gain++ * v[j];
        }
    }
    return 0;
}

int mstmm_keep_within(double t, const double *q, const double *v, double *u, void *data)
{
    const mstmm_limits *const of = data;
    if (of->law(t, q, v, u, of->data)) {
        return 1;
    }
    for (int i = 0; i < of->count; i++) {
        u[i] = u[i] < of->lower[i] ? of->lower[i] : u[i] > of->upper[i] ? of->upper[i] : u[i];
    }
    return 0;
}

/* ---- One step of a method -------------------------------------------------------------------- */

/* out = base + h (weight_1 k_1 + weight_2 k_2 + ...); without a base from 0 */
static void combine(const mstmm_motion *m, int stages, const double *weights, const double *base,
                    double *restrict out)
{
    const int n = filled(m->model);
    const double *const restrict k = m->k, *const restrict h = m->lengths;
    for (int j = 0; j < n; j += BLOCK) {
        block sum = {0.0};
        for (int s = 0; s < stages; s++) {
            sum += weights[s] * *(const block *)(k + s * n + j);
        }
        sum *= *(const block *)(h + j);
        if (base) {
            sum += *(const block *)(base + j);
        }
        *(block *)(out + j) = sum;
    }
}

/* out = Q exp(x), x being a rotation in the body's axes: by series where the angle is small.
 * Numbers of a state are L apart. */
static inline void turn(int L, const double *Q, const double *x, double *out)
{
    const double w = Q[0], i = Q[L], j = Q[2 * L], k = Q[3 * L];
    const double x1 = x[0], x2 = x[L], x3 = x[2 * L];
    const double square = x1 * x1 + x2 * x2 + x3 * x3;
    const double angle = sqrt(square), c = cos(0.5 * angle);
    const double s = square < 0.04
        ? 0.5 - square * (1.0 / 48.0 - square * (1.0 / 3840.0 - square * (1.0 / 645120.0 - square / 185794560.0)))
        : sin(0.5 * angle) / angle;
    const double a = s * x1, b = s * x2, d = s * x3;
    out[0] = w * c - (i * a + j * b + k * d);
    out[L] = i * c + (w * a + j * d - k * b);
    out[2 * L] = j * c + (w * b + k * a - i * d);
    out[3 * L] = k * c + (w * d + i * b - j * a);
}

/* rate = dexp^-1 of -x on the angular velocity u (screw paper (89)), in space alone:
 * u + x u / 2 + (1 - (a/2) cot(a/2)) / a^2 x x u, products being those of vectors, a the angle */
static inline void turn_rate(int L, const double *x, const double *u, double *rate)
{
    const double x1 = x[0], x2 = x[L], x3 = x[2 * L];
    const double u1 = u[0], u2 = u[L], u3 = u[2 * L];
    const double square = x1 * x1 + x2 * x2 + x3 * x3, half = 0.5 * sqrt(square);
    const double c = square < 0.04
        ? 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square * (1.0 / 1209600.0 + square / 47900160.0)))
        : (1.0 - half * cos(half) / sin(half)) / square;
    const double a = x2 * u3 - x3 * u2;
    const double b = x3 * u1 - x1 * u3;
    const double d = x1 * u2 - x2 * u1;
    rate[0] = u1 + 0.5 * a + c * (x2 * d - x3 * b);
    rate[L] = u2 + 0.5 * b + c * (x3 * a - x1 * d);
    rate[2 * L] = u3 + 0.5 * d + c * (x1 * b - x2 * a);
    rate[3 * L] = 0.0;
}

/* Into `at`: the state that the weighted stages lead to in the step; into x the increments */
static void displace(mstmm_motion *m, int stages, const double *weights)
{
    const mstmm_model *const of = m->model;
    combine(m, stages, weights, m->y, m->at);
    if (of->turns == 0 || !methods[m->method].curved) {
        return;
    }
    combine(m, stages, weights, 0, m->x);
    for (int i = 0; i < of->turns; i++) {
        for (int l = 0; l < of->lanes; l++) {
            const int q = of->lanes * of->turn_q[i] + l;
            turn(of->lanes, &m->y[q], &m->x[q], &m->at[q]);
        }
    }
}

/* The speeds at `at`, which follow from joint momenta */
static const double *speeds_at(const mstmm_motion *m)
{
    return m->model->speeds ? m->u : m->at + count_q(m);
}

/* The rates of the increments at `at`, into k */
static int increment_rates(mstmm_motion *m, double *k)
{
    const mstmm_model *const of = m->model;
    const double *const u = speeds_at(m);
    const int status = of->rates(m->at, u, k, m->work);
    for (int i = 0; methods[m->method].curved && i < of->turns; i++) {
        for (int l = 0; l < of->lanes; l++) {
            const int q = of->lanes * of->turn_q[i] + l, v = of->lanes * of->turn_v[i] + l;
            turn_rate(of->lanes, &m->x[q], &u[v], &k[q]);
        }
    }
    return status;
}

static int accelerate(mstmm_motion *m, int is_closed, int only, const double *t, double *q, double *v,
                      double *u, double *a);

static int implicit_step(mstmm_motion *m);
static int first_rates(mstmm_motion *m);

/* All rates at `at`, into k; the first ones of a step are at a closed state */
static int stage(mstmm_motion *m, double *k, int is_closed)
{
    act_at_stage(m);
    const int status = accelerate(m, is_closed, -1, m->at_t, m->at, m->at + count_q(m), m->u, k + count_q(m));
    return increment_rates(m, k) | status;
}

/* One step of length h in each lane, from a stage on: into `at` */
static int step_over(mstmm_motion *m, int from, const double *h)
{
    const mstmm_model *const of = m->model;
    const method *const by = &methods[m->method];
    int status = 0;
    for (int j = 0; j < of->nq + of->nv; j++) {
        for (int l = 0; l < of->lanes; l++) {
            m->lengths[j * of->lanes + l] = h[l];
        }
    }
    if (is_implicit(m)) {
        return implicit_step(m);
    }
    for (int s = from; s < by->stages; s++) {
        displace(m, s, by->a[s]);
        for (int l = 0; l < of->lanes; l++) {
            m->at_t[l] = seen_at(m, l, m->t[l] + by->c[s] * h[l]);
        }
        status |= stage(m, m->k + s * filled(of), s == 0);
    }
    if (by->adaptive) {
        return status; /* the last stage stands at the end */
    }
    if (by->staggered) {
        displace(m, by->stages, by->b);
        memcpy(m->at, m->y, (size_t)count_q(m) * sizeof *m->at);
        memset(m->x, 0, (size_t)count_q(m) * sizeof *m->x);
        status |= increment_rates(m, m->k);
    }
    displace(m, by->stages, by->b);
    if (of->retract && !by->curved) {
        status |= of->retract(m->at, m->x, m->work);
        memcpy(m->at, m->x, (size_t)count_q(m) * sizeof *m->at);
    }
    return status;
}

/* The first stage of an adaptive method's next step: in lanes that start anew evaluated at y, else
 * the last stage of the step before, if that was taken */
static int first_stage(mstmm_motion *m)
{
    const mstmm_model *const of = m->model;
    const int n = filled(of), L = of->lanes;
    const double *const last = m->k + (STAGES - 1) * n;
    int any = 0, status = 0;
    if (is_implicit(m)) {
        return first_rates(m);
    }
    for (int l = 0; l < L; l++) {
        any |= m->anew[l];
        m->at_t[l] = seen_at(m, l, m->t[l]);
    }
    if (any) {
        memcpy(m->next, m->k, (size_t)n * sizeof *m->k); /* of the lanes that go on */
        displace(m, 0, methods[m->method].b);
        status = stage(m, m->k, 1);
    }
    for (int l = 0; l < L; l++) {
        const double *const from = m->taken[l] ? last : m->next;
        for (int j = l; !m->anew[l] && (any || m->taken[l]) && j < L * (of->nq + of->nv); j += L) {
            m->k[j] = from[j];
        }
        for (int i = 0; !m->anew[l] && m->taken[l] && i < of->turns; i++) {
            const int q = L * of->turn_q[i] + l, v = L * of->turn_v[i] + l;
            const double *const u = of->speeds ? m->u : m->y + count_q(m);
            for (int j = 0; j < 3; j++) {
                m->k[q + j * L] = u[v + j * L]; /* from here the increment is 0 */
            }
        }
    }
    return status;
}

/* ---- How long an adaptive method's steps are, and which are taken ----------------------------- */

/* How much larger an estimate may be than the error that is asked for. That of the implicit method is
 * of order 3, not 5: as RADAU5 says it, 0.1 rtol^(2/3) for rtol; but not where the continuous result
 * of quaternions is of order 3 too. */
static double leeway(const mstmm_motion *m)
{
    return is_implicit(m) && m->model->turns == 0 ? 0.1 / cbrt(m->rtol) : 1.0;
}

/* Of each lane the root of the mean square of the errors e by what is allowed between y and z */
static void norms(const mstmm_motion *m, const double *e, const double *y, const double *z, double *norm)
{
    const int L = m->model->lanes, n = m->model->nq + m->model->nv;
    const double rtol = leeway(m) * m->rtol, atol = leeway(m) * m->atol;
    double sum[16] = {0.0};
    for (int j = 0; j < L * n; j += L) {
        for (int l = 0; l < L; l++) {
            const double one = fabs(y[j + l]), other = fabs(z[j + l]);
            const double ratio = e[j + l] / (atol + rtol * (one > other ? one : other));
            sum[l] += ratio * ratio;
        }
    }
    for (int l = 0; l < L; l++) {
        norm[l] = sqrt(sum[l] / n);
    }
}

/* The error of the step, 1 being what is allowed */
static void estimate(mstmm_motion *m)
{
    const method *const by = &methods[m->method];
    if (is_implicit(m)) {
        return; /* which the step has said */
    }
    combine(m, by->stages, by->error, 0, m->x);
    norms(m, m->x, m->y, m->at, m->error);
}

/* How long the next step is where an adaptive method starts anew, by how fast the state changes */
static void guess(mstmm_motion *m)
{
    double size[16], rate[16];
    norms(m, m->y, m->y, m->y, size);
    norms(m, m->k, m->y, m->y, rate);
    for (int l = 0; l < m->model->lanes; l++) {
        if (m->anew[l]) {
            m->size[l] = size[l] > 0.0 && rate[l] > 0.0 ? 0.01 * size[l] / rate[l] : 1e-6;
            m->before[l] = 1e-4;
            m->newton[l] = (mstmm_newton){.stale = 1, .eta = 1.0};
        }
    }
}

/* When so many steps of fixed length are done */
static double multiple(const mstmm_motion *m, long steps)
{
    return m->start + (double)steps * m->dt;
}

/* When the step of fixed length ends that is under way */
static double grid_end(const mstmm_motion *m)
{
    return m->done + 1 >= m->whole + (m->rest > 0.0) ? m->end : multiple(m, m->done + 1);
}

/* How long a motion's next step is and when it ends, at a jump of the laws at the latest */
static void aim(mstmm_motion *m, int l)
{
    const double t = m->t[l];
    m->h[l] = 0.0;
    m->to[l] = t;
    if (m->state[l] != MSTMM_UNDER_WAY) {
        return;
    }
    const mstmm_jump *const jump = m->leg[l] < m->jump_count ? &m->jumps[m->leg[l]] : 0;
    double end = is_adaptive(m) ? m->end : grid_end(m);
    const int jumps = jump && jump->after < end;
    end = jumps ? jump->time : end;
    m->h[l] = end - t;
    m->to[l] = end;
    if (is_adaptive(m)) {
        const double size = m->max_step > 0.0 ? fmin(m->size[l], m->max_step / 1.01) : m->size[l];
        if (1.01 * size < end - t) {
            m->h[l] = size;
            m->to[l] = t + size;
        }
    } else if (!jumps && t == multiple(m, m->done)) {
        m->h[l] = m->done < m->whole ? m->dt : m->rest;
    }
}

static int is_finite(const mstmm_motion *m, int l, const double *y)
{
    const int L = m->model->lanes, n = m->model->nq + m->model->nv;
    int odd = 0;
    for (int j = l; j < L * n; j += L) {
        odd |= y[j] - y[j] != 0.0;
    }
    return !odd;
}

static void judge_implicit(mstmm_motion *m, int l, int sound);

/* Is the step taken? Says of an adaptive method how long the next one is: proportional-integral
 * control with the exponents of Hairer, Norsett and Wanner */
static void judge(mstmm_motion *m, int l)
{
    m->taken[l] = 0;
    if (m->state[l] != MSTMM_UNDER_WAY) {
        return;
    }
    const int sound = is_finite(m, l, m->at);
    if (!is_adaptive(m)) {
        m->taken[l] = sound;
        m->state[l] = sound ? MSTMM_UNDER_WAY : MSTMM_NOT_FINITE;
        return;
    }
    const double error = m->error[l], h = m->h[l];
    if (is_implicit(m)) {
        judge_implicit(m, l, sound);
    } else if (sound && error <= 1.0) {
        const double factor = 0.9 * pow(error, 0.75 * 0.04 - 0.2) * pow(m->before[l], 0.04);
        m->size[l] = h * fmax(0.2, fmin(factor, m->shrunk[l] ? 1.0 : 10.0));
        m->before[l] = fmax(error, 1e-4);
        m->taken[l] = 1;
        m->shrunk[l] = 0;
    } else {
        m->size[l] = h * (sound && error < HUGE_VAL ? fmax(0.2, 0.9 * pow(error, -0.2)) : 0.2);
        m->shrunk[l] = 1;
    }
    if (m->taken[l]) {
        return;
    }
    if (m->size[l] <= 16.0 * DBL_EPSILON * fabs(m->t[l]) || m->size[l] < DBL_MIN) {
        m->state[l] = MSTMM_TOO_SMALL;
    }
}

/* ---- The implicit method ---------------------------------------------------------------------- */

/* Radau IIA with the simplified Newton iterations of RADAU5 (Hairer and Wanner, Solving Ordinary
 * Differential Equations II, Sect. IV.8). The increments x of the three stages meet A^-1 x = h k(x),
 * k being the rates there; z = x / h are kept, behind the first rates. A^-1 has a real eigenvalue
 * and a complex pair. For each of them, divided by h, as mu an iteration solves
 *
 *     mu dx - dv = r,    mu dv - (a_x dx + a_v dv) = s
 *
 * for places and speeds, where a_x and a_v are derivatives of the accelerations. With dx = (r + dv) / mu
 * these are no more equations than speeds:
 *
 *     (mu^2 - mu a_v - a_x) dv = mu s + a_x r.
 *
 * Along which axes dx is: those of a_x, of the moving body. How fast they turn is left out, and so is
 * what controllers say of the state: this slows the iterations, but does not move what they come to. */

enum { STAGE = 1, ERROR = 4, BEFORE = 5, NEWTON = 7 };
static const double inverse[3][3] = {
    { 3.224744871391589, 1.1678400846904056, -0.25319726474218085 },
    { -3.5678400846904057, 0.775255128608411, 1.0531972647421808 },
    { 5.531972647421808, -7.531972647421808, 5.0 },
};
static const double transform[3][3] = {
    { 0.09123239487089295, -0.1412552950209542, -0.030029194105147424 },
    { 0.241717932707107, 0.20412935229379994, 0.3829421127572619 },
    { 0.966048182615093, 1.0, 0.0 },
};
static const double back[3][3] = {
    { 4.325579890063155, 0.33919925181580984, 0.5417705399358749 },
    { -4.178718591551905, -0.32768282076106237, 0.47662355450055044 },
    { -0.5028726349457868, 2.571926949855605, -0.5960392048282249 },
};
static const double eigenvalue = 3.637834252744496;
static const double pair[2] = { 2.6810828736277523, 3.050430199247411 };

/* Where the numbers stand that an implicit method works with: states one after another as the
 * derivatives take them; of each lane what they are, and the factors of the two systems; `axes` has
 * the rates of the coordinates, a row each, of unit speeds; `rates` of the stages and `past` increments
 * of the step before are as those of a motion. */
typedef struct {
    double *t, *q, *v, *a, *found, *da, *axes, *real, *re, *im, *pivots, *rates, *past, *x;
    double *given[8], rtol, atol;
} implicit_room;

static long lay_out_implicit(const mstmm_model *of, const mstmm_tangents *by, implicit_room *w)
{
    const long L = of->lanes, n = of->nv, square = L * n * n;
    double **const arrays[] = {&w->t, &w->q, &w->v, &w->a, &w->found, &w->da, &w->axes, &w->real, &w->re, &w->im,
                               &w->pivots, &w->rates, &w->past, &w->x};
    const long lengths[] = {L, L * of->nq, L * n, L * n, L * n * by->columns, 2 * square, of->turns ? square : 0,
                            square, square, square, 2 * L * n, 3L * filled(of), 3L * filled(of), 8 * n};
    long used = 0;
    for (int i = 0; i < 14; i++) {
        *arrays[i] = by->memory ? by->memory + used : 0;
        used += lengths[i];
    }
    for (int i = 0; i < by->inputs; i++) {
        w->given[i] = by->memory ? by->memory + used : 0;
        used += L * of->sizes[by->given[i]];
    }
    return used;
}

long mstmm_implicit_memory(const mstmm_model *model, const mstmm_tangents *tangents)
{
    mstmm_tangents bare = *tangents;
    implicit_room none;
    bare.memory = 0;
    return lay_out_implicit(model, &bare, &none);
}

/* Where in the increments of the coordinates that of speed i is: a quaternion has one number more */
static int place_of(const mstmm_model *of, int i)
{
    int place = i;
    for (int k = 0; k < of->turns && of->turn_v[k] + 3 <= i; k++) {
        place++;
    }
    return place;
}

/* The factors of a matrix of n rows, by rows with pivots; 1 if it has none */
static int factor(int n, double *a, double *pivots)
{
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j + 1; i < n; i++) {
            best = fabs(a[i * n + j]) > fabs(a[best * n + j]) ? i : best;
        }
        pivots[j] = best;
        for (int k = 0; best != j && k < n; k++) {
            const double other = a[best * n + k];
            a[best * n + k] = a[j * n + k];
            a[j * n + k] = other;
        }
        if (!(fabs(a[j * n + j]) > 0.0)) {
            return 1;
        }
        for (int i = j + 1; i < n; i++) {
            const double part = a[i * n + j] /= a[j * n + j];
            for (int k = j + 1; k < n; k++) {
                a[i * n + k] -= part * a[j * n + k];
            }
        }
    }
    return 0;
}

static void substitute(int n, const double *a, const double *pivots, double *x)
{
    for (int j = 0; j < n; j++) {
        const int best = (int)pivots[j];
        const double value = x[best];
        x[best] = x[j];
        x[j] = value;
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= a[i * n + k] * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= a[i * n + k] * x[k];
        }
        x[i] /= a[i * n + i];
    }
}

/* The same of a complex matrix: real parts and imaginary parts apart */
static int factor_complex(int n, double *re, double *im, double *pivots)
{
    for (int j = 0; j < n; j++) {
        int best = j;
        double most = -1.0;
        for (int i = j; i < n; i++) {
            const double size = fabs(re[i * n + j]) + fabs(im[i * n + j]);
            best = size > most ? i : best;
            most = fmax(size, most);
        }
        pivots[j] = best;
        for (int k = 0; best != j && k < n; k++) {
            const double r = re[best * n + k], i = im[best * n + k];
            re[best * n + k] = re[j * n + k];
            im[best * n + k] = im[j * n + k];
            re[j * n + k] = r;
            im[j * n + k] = i;
        }
        if (!(most > 0.0)) {
            return 1;
        }
        const double r = re[j * n + j], i = im[j * n + j], square = r * r + i * i;
        for (int l = j + 1; l < n; l++) {
            const double a = re[l * n + j], b = im[l * n + j];
            const double x = re[l * n + j] = (a * r + b * i) / square;
            const double y = im[l * n + j] = (b * r - a * i) / square;
            for (int k = j + 1; k < n; k++) {
                re[l * n + k] -= x * re[j * n + k] - y * im[j * n + k];
                im[l * n + k] -= x * im[j * n + k] + y * re[j * n + k];
            }
        }
    }
    return 0;
}

static void substitute_complex(int n, const double *re, const double *im, const double *pivots, double *x,
                               double *y)
{
    for (int j = 0; j < n; j++) {
        const int best = (int)pivots[j];
        const double a = x[best], b = y[best];
        x[best] = x[j];
        y[best] = y[j];
        x[j] = a;
        y[j] = b;
    }
    for (int row = 0; row < 2 * n; row++) {
        const int is_lower = row < n, i = is_lower ? row : 2 * n - 1 - row;
        for (int k = is_lower ? 0 : i + 1; k < (is_lower ? i : n); k++) {
            const double r = re[i * n + k], s = im[i * n + k];
            x[i] -= r * x[k] - s * y[k];
            y[i] -= r * y[k] + s * x[k];
        }
        if (!is_lower) {
            const double r = re[i * n + i], s = im[i * n + i], a = x[i], square = r * r + s * s;
            x[i] = (a * r + y[i] * s) / square;
            y[i] = (y[i] * r - a * s) / square;
        }
    }
}

/* The derivatives at y and the axes of places there, for lanes whose own are stale. One that has none is
 * iterated without. */
static void differentiate(mstmm_motion *m, implicit_room *w)
{
    const mstmm_model *const of = m->model;
    const mstmm_tangents *const by = m->tangents;
    const int L = of->lanes, n = of->nv, count = of->nq + n;
    displace(m, 0, methods[m->method].b);
    for (int l = 0; l < L; l++) {
        m->at_t[l] = w->t[l] = seen_at(m, l, m->t[l]);
    }
    act_at_stage(m);
    for (int l = 0; l < L; l++) {
        for (int j = 0; j < count; j++) {
            *(j < of->nq ? &w->q[l * of->nq + j] : &w->v[l * n + j - of->nq]) = m->y[j * L + l];
        }
        for (int i = 0; i < by->inputs; i++) {
            const int size = of->sizes[by->given[i]];
            for (int j = 0; j < size; j++) {
                w->given[i][l * size + j] = m->given[by->given[i]][j * L + l];
            }
        }
    }
    by->evaluate(L, w->t, w->q, w->v, w->a, w->found, (const double *const *)w->given, by->work);
    for (int l = 0; l < L; l++) {
        const double *const found = w->found + (long)l * n * by->columns;
        double *const da = w->da + 2L * l * n * n;
        int odd = 0;
        for (int i = 0; m->newton[l].stale && i < n; i++) {
            for (int j = 0; j < 2 * n; j++) {
                da[2 * n * i + j] = found[by->columns * i + j];
                odd |= da[2 * n * i + j] - da[2 * n * i + j] != 0.0;
            }
        }
        for (int j = 0; odd && j < 2 * n * n; j++) {
            da[j] = 0.0;
        }
    }
    for (int i = 0; of->turns && i < n; i++) {
        double *const u = m->at, *const rate = m->x;
        memset(u, 0, (size_t)(L * n) * sizeof *u);
        for (int l = 0; l < L; l++) {
            u[i * L + l] = 1.0;
        }
        of->rates(m->y, u, rate, m->work);
        for (int k = 0; k < n; k++) {
            for (int l = 0; l < L; l++) {
                double *const axis = &w->axes[((long)l * n + k) * n + i];
                *axis = m->newton[l].stale ? rate[place_of(of, k) * L + l] : *axis;
            }
        }
    }
    for (int k = 0; k < of->turns; k++) {
        for (int j = 0; j < 3 * n * L; j++) {
            const int row = of->turn_v[k] + j / n % 3, column = j % n, l = j / (3 * n);
            w->axes[((long)l * n + row) * n + column] = row == column;
        }
    }
    for (int l = 0; l < L; l++) {
        if (m->newton[l].stale) {
            m->newton[l].stale = m->newton[l].factored = 0;
            m->newton[l].fresh = 1;
        }
    }
}

/* The factors of both systems for a lane's step; 1 if there are none */
static int factor_systems(mstmm_motion *m, const implicit_room *w, int l)
{
    const int n = m->model->nv;
    const double h = m->h[l], mu = eigenvalue / h, a = pair[0] / h, b = pair[1] / h;
    const long start = (long)l * n * n;
    const double *const da = w->da + 2 * start;
    double *const real = w->real + start, *const re = w->re + start, *const im = w->im + start;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const double place = da[2 * n * i + j], speed = da[2 * n * i + n + j];
            real[i * n + j] = (i == j) * mu * mu - mu * speed - place;
            re[i * n + j] = (i == j) * (a * a - b * b) - a * speed - place;
            im[i * n + j] = (i == j) * 2.0 * a * b - b * speed;
        }
    }
    m->newton[l].factored = 1;
    m->newton[l].length = h;
    return factor(n, real, w->pivots + 2 * l * n) | factor_complex(n, re, im, w->pivots + (2 * l + 1) * n);
}

/* Increments of places along the axes of the derivatives, or back from these */
static void along_axes(const mstmm_motion *m, const implicit_room *w, int l, int is_back, double *x)
{
    const int n = m->model->nv;
    const double *const axes = w->axes + (long)l * n * n;
    double *const found = w->x + 6 * n;
    if (m->model->turns == 0) {
        return;
    }
    for (int i = 0; i < n; i++) {
        found[i] = 0.0;
        for (int k = 0; k < n; k++) {
            found[i] += (is_back ? axes[i * n + k] : axes[k * n + i]) * x[k];
        }
    }
    memcpy(x, found, (size_t)n * sizeof *x);
}

/* mu s + a_x r */
static void gather(const mstmm_motion *m, const implicit_room *w, int l, double mu, const double *r,
                   const double *s, double *x)
{
    const int n = m->model->nv;
    const double *const da = w->da + 2L * l * n * n;
    for (int i = 0; i < n; i++) {
        double sum = mu * s[i];
        for (int j = 0; j < n; j++) {
            sum += da[2 * n * i + j] * r[j];
        }
        x[i] = sum;
    }
}

/* The real system of a lane: from (r, s) to (dx, dv) in their place */
static void solve_real(const mstmm_motion *m, const implicit_room *w, int l, double *r, double *s)
{
    const int n = m->model->nv;
    const double mu = eigenvalue / m->h[l];
    double *const x = w->x + 6 * n;
    along_axes(m, w, l, 0, r);
    gather(m, w, l, mu, r, s, x);
    substitute(n, w->real + (long)l * n * n, w->pivots + 2 * l * n, x);
    for (int i = 0; i < n; i++) {
        r[i] = (r[i] + x[i]) / mu;
        s[i] = x[i];
    }
    along_axes(m, w, l, 1, r);
}

/* The complex system: (r, s) are real parts, (ri, si) imaginary ones */
static void solve_complex(const mstmm_motion *m, const implicit_room *w, int l, double *r, double *s,
                          double *ri, double *si)
{
    const int n = m->model->nv;
    const double a = pair[0] / m->h[l], b = pair[1] / m->h[l], square = a * a + b * b;
    double *const x = w->x + 6 * n, *const y = w->x + 7 * n;
    along_axes(m, w, l, 0, r);
    along_axes(m, w, l, 0, ri);
    gather(m, w, l, a, r, s, x);
    gather(m, w, l, a, ri, si, y);
    for (int i = 0; i < n; i++) {
        x[i] -= b * si[i];
        y[i] += b * s[i];
    }
    substitute_complex(n, w->re + (long)l * n * n, w->im + (long)l * n * n, w->pivots + (2 * l + 1) * n, x, y);
    for (int i = 0; i < n; i++) {
        const double c = r[i] + x[i], d = ri[i] + y[i];
        s[i] = x[i];
        si[i] = y[i];
        r[i] = (c * a + d * b) / square;
        ri[i] = (d * a - c * b) / square;
    }
    along_axes(m, w, l, 1, r);
    along_axes(m, w, l, 1, ri);
}

/* Where number i of the speeds, or of the increments of places, of a lane stands in a state */
static int number_of(const mstmm_model *of, int i, int l)
{
    return of->lanes * (i < of->nv ? place_of(of, i) : of->nq + i - of->nv) + l;
}

/* One iteration of a lane; how far it moves the stages, 1 being what is allowed as an error */
static double iterate(mstmm_motion *m, const implicit_room *w, int l)
{
    const mstmm_model *const of = m->model;
    const int n = of->nv, size = filled(of);
    const double h = m->h[l];
    double *const z = m->k + STAGE * size;
    double sum = 0.0;
    for (int i = 0; i < 2 * n; i++) {
        const int j = number_of(of, i, l);
        double residual[3];
        for (int s = 0; s < 3; s++) {
            residual[s] = w->rates[s * size + j] - inverse[s][0] * z[j] - inverse[s][1] * z[size + j]
                - inverse[s][2] * z[2 * size + j];
        }
        for (int s = 0; s < 3; s++) {
            w->x[2 * s * n + i] = back[s][0] * residual[0] + back[s][1] * residual[1] + back[s][2] * residual[2];
        }
    }
    solve_real(m, w, l, w->x, w->x + n);
    solve_complex(m, w, l, w->x + 2 * n, w->x + 3 * n, w->x + 4 * n, w->x + 5 * n);
    for (int i = 0; i < 2 * n; i++) {
        const int j = number_of(of, i, l);
        const double allowed = w->atol + w->rtol * fabs(m->y[j]);
        for (int s = 0; s < 3; s++) {
            const double moved = transform[s][0] * w->x[i] + transform[s][1] * w->x[2 * n + i]
                + transform[s][2] * w->x[4 * n + i];
            z[s * size + j] += moved / h;
            sum += moved / allowed * (moved / allowed);
        }
    }
    return sqrt(sum / (3.0 * (of->nq + n)));
}

/* The weights of a stage, or of the error, among what is kept */
static void displace_to(mstmm_motion *m, int kept)
{
    double weights[STAGES] = {0.0};
    weights[kept] = 1.0;
    displace(m, kept + 1, weights);
}

/* How much each stage weighs after a part of the step, on the polynomial through all of them */
static void interpolate(double part, double *weights)
{
    const double *const c = methods[MSTMM_RADAU5].c + STAGE;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        weights[i] = part * (part - c[j]) * (part - c[k]) / (c[i] * (c[i] - c[j]) * (c[i] - c[k]));
    }
}

/* Into `at`: the state after a part of the step. Coordinates that are moved by speeds of their own
 * follow the polynomial of degree 5 through places, speeds and accelerations at both ends, and the
 * speeds its derivative; quaternions, and what turns with them, the polynomial through the stages. */
static void go_inside(mstmm_motion *m, double part)
{
    const mstmm_model *const of = m->model;
    const int L = of->lanes, size = filled(of);
    double weights[STAGES] = {0.0};
    interpolate(part, weights + STAGE);
    displace(m, STAGE + 3, weights);
    for (int j = 0; of->turns == 0 && j < L * of->nv; j++) {
        const int i = count_q(m) + j;
        const double *const z = m->k + STAGE * size;
        const double h = m->lengths[i], v = m->y[i], a = h * m->k[BEFORE * size + i];
        const double last = h * (inverse[2][0] * z[i] + inverse[2][1] * z[size + i] + inverse[2][2] * z[2 * size + i]);
        const double D = z[2 * size + j] - v - 0.5 * a, E = h * z[2 * size + i] - a, F = last - a;
        const double c3 = 10.0 * D - 4.0 * E + 0.5 * F, c4 = -15.0 * D + 7.0 * E - F, c5 = 6.0 * D - 3.0 * E + 0.5 * F;
        m->at[j] = m->y[j] + h * part * (v + part * (0.5 * a + part * (c3 + part * (c4 + part * c5))));
        m->at[i] = v + part * (a + part * (3.0 * c3 + part * (4.0 * c4 + part * 5.0 * c5)));
    }
}

/* The stages as the step before goes on, or at its end; and the accelerations there: what the stages
 * say is free of what stiff forces make of their errors. */
static void expect(mstmm_motion *m, const implicit_room *w, int l)
{
    const mstmm_model *const of = m->model;
    const int size = filled(of), L = of->lanes;
    const double ratio = m->newton[l].past > 0.0 ? m->h[l] / m->newton[l].past : 0.0;
    for (int s = 0; s < 3; s++) {
        double weights[3] = {0.0}, *const z = m->k + (STAGE + s) * size;
        interpolate(1.0 + ratio * methods[m->method].c[STAGE + s], weights);
        weights[2] -= 1.0;
        for (int j = l; j < L * (of->nq + of->nv); j += L) {
            z[j] = 0.0;
            for (int i = 0; ratio > 0.0 && i < 3; i++) {
                z[j] += weights[i] / ratio * w->past[i * size + j];
            }
        }
    }
    for (int j = l; j < L * (of->nq + of->nv); j += L) {
        m->k[BEFORE * size + j] = ratio > 0.0 ? 0.0 : m->k[j];
        for (int i = 0; ratio > 0.0 && i < 3; i++) {
            m->k[BEFORE * size + j] += inverse[2][i] * w->past[i * size + j];
        }
    }
}

/* Newton's iterations of all lanes that are `on`, until each has come to its end or failed */
static void find_stages(mstmm_motion *m, const implicit_room *w, int *on)
{
    const int L = m->model->lanes, size = filled(m->model);
    const double enough = fmax(10.0 * DBL_EPSILON / w->rtol, fmin(0.03, sqrt(w->rtol)));
    double last[16] = {0.0};
    int any = 1;
    for (int n = 1; any; n++) {
        any = 0;
        for (int s = 0; s < 3; s++) {
            displace_to(m, STAGE + s);
            for (int l = 0; l < L; l++) {
                m->at_t[l] = seen_at(m, l, m->t[l] + methods[m->method].c[STAGE + s] * m->h[l]);
            }
            stage(m, w->rates + s * size, 0);
        }
        for (int l = 0; l < L; l++) {
            mstmm_newton *const by = &m->newton[l];
            if (!on[l]) {
                continue;
            }
            const double norm = iterate(m, w, l), rate = n > 1 ? norm / last[l] : 0.0;
            by->theta = n > 2 ? sqrt(rate * by->rate) : rate;
            by->rate = rate;
            by->iterations = n;
            if (n > 1 && by->theta < 0.99) {
                by->eta = by->theta / (1.0 - by->theta);
            }
            last[l] = norm;
            on[l] = !(by->eta * norm <= enough);
            by->failed = on[l]
                && (n == NEWTON || !(by->theta < 0.99)
                    || (n > 1 && by->eta * norm * pow(by->theta, NEWTON - n) > enough) || !(norm < HUGE_VAL));
            on[l] &= !by->failed;
            any |= on[l];
        }
    }
}

/* The error from the rates f at y: (mu - J) e = f + the weighted increments; 1 being what is allowed */
static void weigh_error(mstmm_motion *m, const implicit_room *w, const double *f, const int *on)
{
    const mstmm_model *const of = m->model;
    const double *const weights = methods[m->method].error;
    const int n = of->nv, size = filled(of);
    double *const e = m->k + ERROR * size, found[16];
    for (int l = 0; l < of->lanes; l++) {
        for (int j = l; !on[l] && j < size; j += of->lanes) {
            e[j] = 0.0;
        }
        for (int i = 0; on[l] && i < 2 * n; i++) {
            const int j = number_of(of, i, l);
            w->x[i] = f[j];
            for (int s = 0; s < 3; s++) {
                w->x[i] += weights[STAGE + s] * m->k[(STAGE + s) * size + j];
            }
        }
        if (on[l]) {
            solve_real(m, w, l, w->x, w->x + n);
        }
        for (int i = 0; on[l] && i < 2 * n; i++) {
            e[number_of(of, i, l)] = w->x[i] / m->h[l];
        }
    }
    for (int j = 0; j < size; j++) {
        m->x[j] = m->lengths[j] * e[j];
    }
    norms(m, m->x, m->y, m->at, found);
    for (int l = 0; l < of->lanes; l++) {
        m->error[l] = on[l] ? found[l] : m->error[l];
    }
}

/* One step in each lane, into `at`, with its error; a lane without one has `failed` */
static int implicit_step(mstmm_motion *m)
{
    const mstmm_model *const of = m->model;
    const int L = of->lanes, size = filled(of);
    implicit_room room, *const w = &room;
    int on[16] = {0}, sought[16] = {0}, stale = 0, any = 0;
    lay_out_implicit(of, m->tangents, w);
    w->rtol = leeway(m) * m->rtol;
    w->atol = leeway(m) * m->atol;
    for (int l = 0; l < L; l++) {
        on[l] = m->state[l] == MSTMM_UNDER_WAY && m->h[l] > 0.0;
        stale |= on[l] && m->newton[l].stale;
    }
    if (stale) {
        differentiate(m, w);
    }
    for (int l = 0; l < L; l++) {
        mstmm_newton *const by = &m->newton[l];
        const int is_as_before = by->factored && by->length == m->h[l];
        by->failed = on[l] && !is_as_before && factor_systems(m, w, l);
        by->eta = pow(fmax(by->eta, DBL_EPSILON), 0.8);
        sought[l] = on[l] = on[l] && !by->failed;
        any |= on[l];
        expect(m, w, l);
    }
    if (any) {
        find_stages(m, w, sought);
    }
    for (int l = 0; l < L; l++) {
        on[l] &= !m->newton[l].failed;
        for (int j = l; !on[l] && j < 3 * size; j += L) {
            m->k[STAGE * size + j] = 0.0;
        }
    }
    displace_to(m, STAGE + 2);
    weigh_error(m, w, m->k, on);
    any = 0;
    for (int l = 0; l < L; l++) {
        on[l] &= m->error[l] > 1.0 && (m->shrunk[l] || m->newton[l].past == 0.0);
        any |= on[l];
    }
    if (any) { /* stiff components are damped once more */
        displace_to(m, ERROR);
        for (int l = 0; l < L; l++) {
            m->at_t[l] = seen_at(m, l, m->t[l]);
        }
        stage(m, w->rates, 0);
        displace_to(m, STAGE + 2);
        weigh_error(m, w, w->rates, on);
    }
    return 0;
}

/* The first rates of the next step; that of lanes whose step was taken goes on from the last one */
static int first_rates(mstmm_motion *m)
{
    const mstmm_model *const of = m->model;
    const int L = of->lanes, size = filled(of);
    implicit_room w;
    int any = 0;
    lay_out_implicit(of, m->tangents, &w);
    for (int l = 0; l < L; l++) {
        any |= m->taken[l] || m->anew[l];
        m->at_t[l] = seen_at(m, l, m->t[l]);
        for (int j = l; m->taken[l] && j < 3 * size; j += L) {
            w.past[j] = m->k[STAGE * size + j];
        }
        m->newton[l].past = m->taken[l] ? m->h[l] : m->newton[l].past;
    }
    if (!any) {
        return 0;
    }
    displace(m, 0, methods[m->method].b);
    return stage(m, m->k, 1);
}

/* Is the step taken? Says how long the next one is: the predictive control of Gustafsson, and as
 * before where that saves factors */
static void judge_implicit(mstmm_motion *m, int l, int sound)
{
    mstmm_newton *const by = &m->newton[l];
    const double error = m->error[l], h = m->h[l];
    const double safety = 0.9 * (2.0 * NEWTON + 1.0) / (2.0 * NEWTON + by->iterations);
    if (sound && !by->failed && error <= 1.0) {
        double factor = safety * pow(fmax(error, 1e-10), -0.25);
        if (by->past > 0.0) {
            factor = fmin(factor, safety * h / by->past * pow(m->before[l] / fmax(error * error, 1e-20), 0.25));
        }
        factor = fmax(0.2, fmin(factor, m->shrunk[l] ? 1.0 : 8.0));
        by->stale = by->theta > 1e-3;
        by->fresh = 0;
        m->size[l] = h * (!by->stale && factor >= 1.0 && factor <= 1.2 ? 1.0 : factor);
        m->before[l] = fmax(error, 1e-2);
        m->taken[l] = 1;
        m->shrunk[l] = 0;
        return;
    }
    if (sound && !by->failed && error < HUGE_VAL) {
        m->size[l] = h * (by->past > 0.0 ? fmax(0.2, fmin(0.9, safety * pow(error, -0.25))) : 0.1);
    } else {
        m->size[l] = by->fresh ? 0.5 * h : h;
    }
    by->stale = !by->fresh;
    m->shrunk[l] = 1;
}

/* ---- Singular positions of the loops ---------------------------------------------------------- */

/* Where some conditions of the loops come to depend on the others, more than one motion leads on, and
 * near it neither multipliers nor corrections can be had to more than a few digits. A motion goes on
 * as smoothly as it came: there all that depends on the state along it is a smooth function, so that
 * its value follows from those at closed states k s before and after, k = 1, 2, 3, with an error of
 * order s^6. These states are regular. */

enum { ACCELERATION, CORRECTION, PROBES = 3 };
static const double smooth[PROBES] = {1.5, -0.6, 0.1}; /* even polynomials of degree 4 at 0 */

static double largest(int L, int n, const double *x, int l, double least);
static int close_place(const mstmm_model *of, mstmm_motion *m, int *on, int tight, const double *t,
                       double *q, const double *v, const double *const *given, double *openings,
                       void *work);
static int close_motion(const mstmm_model *of, mstmm_motion *m, int *on, const double *t,
                        const double *q, double *v, const double *const *given, double *openings,
                        void *work);

/* What a solve has met of a lane */
static double *met(const mstmm_model *of, void *work, int l, int solve)
{
    return of->met(work) + MSTMM_MET * (of->lanes * solve + l);
}

static void forget(const mstmm_model *of, void *work)
{
    for (int k = 0; of->met && k < of->lanes * of->solves; k++) {
        mstmm_forget(of->met(work) + MSTMM_MET * k);
    }
}

/* What is solved next knows the floors of the motion's lanes, or none */
static void bound(const mstmm_model *of, void *work, const mstmm_motion *m, int what)
{
    for (int l = 0; of->met && l < of->lanes; l++) {
        for (int s = 0; s < of->solves; s++) {
            double *const own = met(of, work, l, s);
            own[MSTMM_FLOOR] = m ? m->known[l].floor[what][s] : 0.0;
            own[MSTMM_BOUNDED] = m ? MSTMM_IS_BOUNDED : 0.0;
        }
    }
}

/* Where loops are open, as at a step's stages, a condition that follows from the others seems to be one
 * of its own, which nothing can keep. So no more of them count than where the loops are closed, those
 * with the largest pivots: is what was solved last to be solved again, with other floors? */
static int is_miscounted(mstmm_motion *m, const int *on, int what, int times)
{
    int any = 0;
    for (int l = 0; judges_loops(m->model) && times <= m->model->conditions && l < m->model->lanes; l++) {
        const mstmm_known *const known = &m->known[l];
        for (int s = 0; on[l] > 0 && s < m->model->solves; s++) {
            const double *const now = met(m->model, m->work, l, s), rank = known->rank[what][s];
            double *const floor = &known->floor[what][s];
            const int more = rank > 0.0 && now[MSTMM_RANK] > rank;
            const int fewer = !times && now[MSTMM_RANK] < rank && *floor > 0.0;
            *floor = more ? now[MSTMM_LEAST] : fewer ? 0.0 : *floor;
            any |= more || fewer;
        }
    }
    return any;
}

/* Have the solves of a lane met fewer conditions than they can? */
static int is_lost(const mstmm_motion *m, int l, int what)
{
    int any = 0;
    for (int s = 0; s < m->model->solves; s++) {
        any |= met(m->model, m->work, l, s)[MSTMM_RANK] < m->known[l].rank[what][s];
    }
    return any;
}

/* The least pivot in what was solved last, as a part of the largest that the same solve has met */
static double least_part(const mstmm_motion *m, int l, int what)
{
    double least = 1.0;
    for (int s = 0; s < m->model->solves; s++) {
        const double now = met(m->model, m->work, l, s)[MSTMM_LEAST], firm = m->known[l].firm[what][s];
        least = now < least * firm ? now / firm : least;
    }
    return least;
}

/* Were the conditions singular, or as good as that, in what was solved last? */
static int is_singular(const mstmm_motion *m, int l, int what)
{
    return is_lost(m, l, what) || least_part(m, l, what) < 1e-05;
}

/* What was solved last, at a closed state, says how firm the conditions can be: where more of them are
 * conditions of their own, or where so many are, but of those that are solved for first more */
static void learn(mstmm_motion *m, int l, int what, int is_closed)
{
    const mstmm_known *const known = &m->known[l];
    double more = 0.0, first = 0.0;
    for (int s = 0; is_closed && s < m->model->solves; s++) {
        const double rank = met(m->model, m->work, l, s)[MSTMM_RANK];
        const double change = rank < HUGE_VAL ? rank - known->rank[what][s] : 0.0;
        more += change;
        first = first == 0.0 ? change : first;
    }
    if (!is_closed || more < 0.0 || (more == 0.0 && first < 0.0)) {
        return;
    }
    for (int s = 0; s < m->model->solves; s++) {
        const double *const now = met(m->model, m->work, l, s);
        double *const firm = &known->firm[what][s];
        if (now[MSTMM_RANK] < HUGE_VAL) {
            *firm = first == 0.0 ? fmax(*firm, now[MSTMM_LEAST]) : now[MSTMM_LEAST];
            known->rank[what][s] = now[MSTMM_RANK];
        }
    }
}

/* How firm the conditions are in what was solved last, as a length: its sign changes in between */
static double firmness(const mstmm_motion *m, int l, int what)
{
    return is_lost(m, l, what) ? 0.0 : sqrt(least_part(m, l, what));
}

/* The closed state k s after (q, v) in time, s being of each lane, and what is looked for there:
 * speeds and accelerations, or of `closing` the state itself. Lanes that are singular there too are
 * marked. */
static int look(mstmm_motion *m, const int *on, int closing, double k, const double *s, const double *t,
                const double *q, const double *v, const double *rate, double *unsound,
                const double *const *given)
{
    const mstmm_model *const of = m->model;
    const int L = of->lanes, nq = L * of->nq, nv = L * of->nv;
    double *const at_q = m->aside + nq, *const at_v = at_q + nq, *const u = at_v + nv, *const a = u + nv;
    double at_t[16];
    int every[16];
    for (int l = 0; l < L; l++) {
        at_t[l] = seen_at(m, l, t[l] + k * s[l]);
        every[l] = on[l] < 0;
    }
    for (int j = 0; j < nq; j++) {
        at_q[j] = q[j] + k * s[j % L] * rate[j];
    }
    if (of->retract && of->retract(at_q, m->openings, m->work)) {
        return MSTMM_NOT_FINITE;
    } else if (of->retract) {
        memcpy(at_q, m->openings, (size_t)nq * sizeof *at_q);
    }
    memcpy(at_v, v, (size_t)nv * sizeof *at_v);
    int status = close_place(of, m, every, 1, at_t, at_q, at_v, given, m->openings, m->work);
    if (!status && (closing || !of->speeds)) {
        status = close_motion(of, 0, every, at_t, at_q, at_v, given, m->openings, m->work);
    }
    if (!status && closing && of->speeds) {
        memset(m->openings, 0, (size_t)(L * of->conditions) * sizeof *m->openings);
        status = of->correction(at_t, at_q, m->openings, u, given, m->work);
    } else if (!status && !closing) {
        forget(of, m->work);
        status = of->accelerations(at_t, at_q, at_v, u, a, given, m->work);
    }
    for (int l = 0; l < L; l++) {
        unsound[l] = status || is_singular(m, l, closing ? CORRECTION : ACCELERATION);
    }
    return status;
}

/* Adds what was found to the sums, by its weight */
static void add_up(mstmm_motion *m, double weight, double *sums)
{
    const mstmm_model *const of = m->model;
    const int count = of->lanes * (of->nq + 3 * of->nv);
    const double *const found = m->aside + of->lanes * of->nq;
    for (int j = 0; j < count; j++) {
        sums[j] += weight * found[j];
    }
}

/* Of the lanes on[l] < 0, from both sides: the closed state into q, v, or what moves it into u, a.
 * Where no state beside it is regular, the lane stays as it is, and if it cannot do without, the
 * motion comes to its end. */
static int beside(mstmm_motion *m, const int *on, int closing, const double *t, double *q, double *v,
                  double *u, double *a, const double *const *given)
{
    const mstmm_model *const of = m->model;
    const int L = of->lanes, nq = L * of->nq, nv = L * of->nv, what = closing ? CORRECTION : ACCELERATION;
    double *const rate = m->aside, *const sums = m->aside + 2 * nq + 3 * nv;
    double s[16] = {0.0}, unsound[16], offset[16], longest[16];
    int left[16], lost[16], any = 0;
    const double *speeds = v;
    for (int l = 0; l < L; l++) {
        left[l] = on[l];
        lost[l] = on[l] < 0 && is_lost(m, l, what);
        any |= on[l] < 0;
    }
    if (of->speeds) {
        of->speeds(t, q, v, sums, given, m->work);
        speeds = sums;
    }
    if (of->rates(q, speeds, rate, m->work)) {
        return MSTMM_NOT_FINITE;
    }
    for (int l = 0; l < L; l++) {
        longest[l] = largest(L, of->nv, speeds, l, 0.0);
    }
    for (int wider = -1; any && wider < 6; wider++) {
        memset(sums, 0, (size_t)(nq + 3 * nv) * sizeof *sums);
        memset(offset, 0, sizeof offset);
        int odd[16] = {0};
        for (int l = 0; l < L; l++) {
            s[l] = left[l] < 0 && wider >= 0 && longest[l] > 0.0 ? ldexp(0.003, wider) / longest[l] : 0.0;
        }
        for (int k = wider < 0 ? 0 : 1; k <= (wider < 0 ? 0 : PROBES); k++) {
            double before[16] = {0.0};
            for (int sign = -1; sign <= (k ? 1 : -1); sign += 2) {
                look(m, left, closing, sign * k, s, t, q, v, rate, unsound, given);
                add_up(m, k ? 0.5 * smooth[k - 1] : 1.0, sums);
                for (int l = 0; l < L; l++) {
                    const double now = firmness(m, l, what);
                    odd[l] |= unsound[l] != 0.0 || (k && s[l] == 0.0);
                    offset[l] += k && sign > 0 ? smooth[k - 1] * k * s[l] * (before[l] - now) / (before[l] + now) : 0.0;
                    before[l] = now;
                }
            }
        }
        any = 0;
        for (int l = 0; l < L; l++) {
            if (left[l] >= 0) {
                continue;
            }
            if (odd[l]) {
                any = 1;
                continue;
            }
            left[l] = 0;
            for (int j = l; j < nq && closing; j += L) {
                q[j] = sums[j];
            }
            for (int j = l; j < nv; j += L) {
                if (closing) {
                    v[j] = sums[nq + j];
                } else {
                    a[j] = sums[nq + 2 * nv + j];
                    u[j] = of->speeds ? sums[nq + nv + j] : u[j];
                }
            }
            if (wider >= 0 && fabs(offset[l]) < m->known[l].from) {
                m->known[l].from = fabs(offset[l]);
                m->known[l].near = PROBES * s[l];
                m->known[l].passing = t[l] + offset[l];
            }
        }
    }
    for (int l = 0; l < L; l++) {
        if (left[l] < 0 && lost[l]) {
            m->state[l] = MSTMM_UNDECIDED;
        }
    }
    if (closing && of->retract) {
        int status = of->retract(q, m->openings, m->work);
        memcpy(q, m->openings, (size_t)nq * sizeof *q);
        return status;
    }
    return 0;
}

/* How firm the conditions are where a step begins, or at one of its stages */
static void note(mstmm_motion *m, int l, double t, int is_closed)
{
    mstmm_known *const known = &m->known[l];
    const double now = firmness(m, l, ACCELERATION), past = fabs(t - known->when);
    if (is_closed && t != known->since) { /* else a part of the step is done again */
        known->steepest = t > known->since && known->since > -HUGE_VAL ? fabs(now - known->level) / (t - known->since) : HUGE_VAL;
        known->level = known->lowest = now;
        known->since = t;
    } else if (past > 1e-3 * m->h[l]) {
        known->steepest = fmax(known->steepest, fabs(now - known->last) / past);
    }
    known->lowest = fmin(known->lowest, now);
    known->last = now;
    known->when = t;
}

/* What moves the state at (t, q, v), which is closed, or one of a step's stages; `only` one lane is
 * looked after, if it is not negative */
static int accelerate(mstmm_motion *m, int is_closed, int only, const double *t, double *q, double *v,
                      double *u, double *a)
{
    const mstmm_model *const of = m->model;
    const double *const *const given = (const double *const *)m->given;
    int status, on[16], any = 0, times = 0;
    for (int l = 0; l < of->lanes; l++) {
        on[l] = m->state[l] == MSTMM_UNDER_WAY && (only < 0 || only == l);
    }
    do {
        forget(of, m->work);
        bound(of, m->work, is_closed ? 0 : m, ACCELERATION);
        status = of->accelerations(t, q, v, u, a, given, m->work);
    } while (!is_closed && is_miscounted(m, on, ACCELERATION, times++));
    bound(of, m->work, 0, ACCELERATION);
    for (int l = 0; judges_loops(of) && l < of->lanes; l++) {
        note(m, l, t[l], is_closed);
        on[l] = on[l] && is_singular(m, l, ACCELERATION) ? -1 : on[l];
        any |= on[l] < 0;
        learn(m, l, ACCELERATION, is_closed && on[l] > 0);
    }
    return any ? beside(m, on, 0, t, q, v, u, a, given) : status;
}

/* Which coordinates move loops: how far a step goes is how far these do */
static void find_moving(mstmm_motion *m)
{
    const mstmm_model *const of = m->model;
    const int L = of->lanes, n = L * of->conditions;
    const double *const *const given = (const double *const *)m->given;
    double *const gap = m->moves + L * of->nq, most[16] = {0.0};
    if (!judges_loops(of) || of->constraints(m->t, m->y, m->y + count_q(m), gap, m->openings + n, given, m->work)) {
        return;
    }
    memcpy(m->at, m->y, (size_t)count_q(m) * sizeof *m->at);
    for (int j = 0; j < L * of->nq; j += L) {
        for (int l = 0; l < L; l++) {
            m->at[j + l] += 0.5;
        }
        const int odd = of->constraints(m->t, m->at, m->y + count_q(m), m->openings, m->openings + n, given, m->work);
        for (int l = 0; l < L; l++) {
            m->at[j + l] = m->y[j + l];
            for (int i = l; i < n; i += L) {
                const double opened = odd ? 0.0 : fabs(m->openings[i] - gap[i]);
                m->moves[j + l] = fmax(m->moves[j + l], opened);
                most[l] = fmax(most[l], opened);
            }
        }
    }
    for (int j = 0; j < L * of->nq; j++) {
        m->moves[j] = m->moves[j] > 1e-9 * most[j % L];
    }
}

/* How firm the conditions are near where the motion begins, however firm they are there: without it
 * one that begins in a singular position would take that for the rule. */
static void look_around(mstmm_motion *m)
{
    const mstmm_model *const of = m->model;
    const int L = of->lanes, nq = L * of->nq, nv = L * of->nv;
    const double *const *const given = (const double *const *)m->given;
    double *const rate = m->aside, *const at_q = rate + nq, *const at_v = at_q + nq;
    double *const u = at_v + nv, *const a = u + nv;
    int every[16];
    for (int l = 0; l < 16; l++) {
        m->known[l] = (mstmm_known){{0}, {0}, {0}, 0.0, -HUGE_VAL, 0.0, 0.0, 0.0, 0.0, 0.0, HUGE_VAL, 0.0, 0.0, 0.0};
        m->known[l].passed = m->t[l];
        for (int what = 0; l < L && what < 2; what++) {
            double *const of_solves = m->solved + 3 * of->solves * (2 * l + what);
            m->known[l].rank[what] = of_solves;
            m->known[l].firm[what] = of_solves + of->solves;
            m->known[l].floor[what] = of_solves + 2 * of->solves;
        }
        every[l] = 1;
    }
    find_moving(m);
    for (int shift = 0; judges_loops(of) && shift < 3; shift++) {
        for (int j = 0; j < nv; j++) {
            at_v[j] = shift ? 0.02 * sin(1.0 + 7.3 * shift + 2.4 * (j / L)) : 0.0;
        }
        if (of->rates(m->y, at_v, rate, m->work)) {
            continue;
        }
        for (int j = 0; j < nq; j++) {
            at_q[j] = m->y[j] + rate[j];
        }
        if (of->retract && !of->retract(at_q, rate, m->work)) {
            memcpy(at_q, rate, (size_t)nq * sizeof *rate);
        }
        memset(at_v, 0, (size_t)nv * sizeof *at_v);
        if (close_place(of, 0, every, 1, m->t, at_q, at_v, given, m->openings, m->work)) {
            continue;
        }
        forget(of, m->work);
        int odd = of->accelerations(m->t, at_q, at_v, u, a, given, m->work);
        for (int l = 0; l < L; l++) {
            learn(m, l, ACCELERATION, !odd);
        }
        memset(m->openings, 0, (size_t)(L * of->conditions) * sizeof *m->openings);
        forget(of, m->work);
        odd = of->correction(m->t, at_q, m->openings, u, given, m->work);
        for (int l = 0; l < L; l++) {
            learn(m, l, CORRECTION, !odd);
        }
    }
}

/* ---- Loops that stay closed ------------------------------------------------------------------- */

/* The largest of n numbers of a lane, or `least` if they are smaller */
static double largest(int L, int n, const double *x, int l, double least)
{
    for (int j = l; j < L * n; j += L) {
        least = fmax(least, fabs(x[j]));
    }
    return least;
}

/* Gauss-Newton: the coordinates of the lanes `on` move by corrections until all these are closed. A
 * lane that is closed waits for the others; `tight`: all take one more correction. Where the
 * conditions of a lane of m turn out singular, and not `tight`, it is left as it is, and on[l] becomes
 * -1. Leaves in
 * `openings` how fast the loops open, of joint momenta without speeds. */
static int close_place(const mstmm_model *of, mstmm_motion *m, int *on, int tight, const double *t,
                       double *q, const double *v, const double *const *given, double *openings,
                       void *work)
{
    const double longest_step = 0.5;
    const int marks = m && !tight;
    const int L = of->lanes, n = L * of->conditions, nq = L * of->nq, nv = L * of->nv;
    double *const gap = openings, *const opening = gap + n, *const change = opening + n;
    double *const moved = change + nv, *const unit = moved + nq;
    memset(change, 0, (size_t)nv * sizeof *change); /* of momenta it stands for the speeds */
    for (int pass = 0; pass < 50; pass++) {
        int open[16], any = 0;
        if (of->constraints(t, q, of->speeds ? change : v, gap, opening, given, work)) {
            return MSTMM_NOT_FINITE;
        }
        for (int l = 0; l < L; l++) {
            open[l] = 0;
            for (int j = 0; j < of->conditions; j++) {
                open[l] |= on[l] > 0 && fabs(gap[L * j + l]) > of->closed[j];
            }
            any |= open[l];
        }
        if (!any && tight-- <= 0) {
            return MSTMM_DONE;
        }
        int status, times = 0;
        do {
            forget(of, work);
            bound(of, work, m, CORRECTION);
            status = of->correction(t, q, gap, change, given, work);
        } while (m && is_miscounted(m, on, CORRECTION, times++));
        bound(of, work, 0, CORRECTION);
        if (status) {
            return MSTMM_NOT_FINITE;
        }
        for (int l = 0; l < L; l++) {
            if (open[l] && marks && is_singular(m, l, CORRECTION)) {
                open[l] = 0;
                on[l] = -1;
            }
            const double longest = largest(L, of->nv, change, l, longest_step);
            for (int j = l; j < nv; j += L) {
                change[j] *= open[l] || (!any && on[l] > 0) ? longest_step / longest : 0.0;
            }
        }
        if (of->rates(q, change, moved, work)) {
            return MSTMM_NOT_FINITE;
        }
        for (int j = 0; j < nq; j++) {
            q[j] += moved[j];
        }
        if (of->retract) {
            if (of->retract(q, unit, work)) {
                return MSTMM_NOT_FINITE;
            }
            memcpy(q, unit, (size_t)nq * sizeof *q);
        }
        if (of->speeds) {
            memset(change, 0, (size_t)nv * sizeof *change);
        }
    }
    return MSTMM_OPEN;
}

/* Where the place is closed, the speeds are corrected, or the joint momenta become those of the same
 * motion with impulses of the cuts of zero: of the lanes `on`, of which singular ones become -1. */
static int close_motion(const mstmm_model *of, mstmm_motion *m, int *on, const double *t,
                        const double *q, double *v, const double *const *given, double *openings,
                        void *work)
{
    const int L = of->lanes, n = L * of->conditions, nv = L * of->nv;
    double *const opening = openings + n, *const change = opening + n;
    forget(of, work);
    if (of->speeds) {
        if (of->regauge(t, q, v, change, given, work)) {
            return MSTMM_NOT_FINITE;
        }
    } else if (of->correction(t, q, opening, change, given, work)) {
        return MSTMM_NOT_FINITE;
    }
    for (int l = 0; l < L; l++) {
        if (on[l] > 0 && m && !of->speeds) {
            on[l] = is_singular(m, l, CORRECTION) ? -1 : 1;
            learn(m, l, CORRECTION, on[l] > 0);
        }
        for (int j = l; on[l] > 0 && j < nv; j += L) {
            v[j] = of->speeds ? change[j] : v[j] + change[j];
        }
    }
    return MSTMM_DONE;
}

int mstmm_close(const mstmm_model *of, const double *t, double *q, double *v,
                const double *const *given, double *openings, void *work)
{
    int on[16];
    for (int l = 0; l < 16; l++) {
        on[l] = 1;
    }
    const int status = MSTMM_LOOPS ? close_place(of, 0, on, 0, t, q, v, given, openings, work) : MSTMM_FAILED;
    return status ? status : close_motion(of, 0, on, t, q, v, given, openings, work);
}

static int closes(const mstmm_motion *m)
{
    return MSTMM_LOOPS && m->model->constraints && !m->plain;
}

/* Closes the loops of the lanes `on` at (q, v): near a singular position from both sides of it */
static int close_state(mstmm_motion *m, int *on, const double *t, double *q, double *v,
                       const double *const *given)
{
    const mstmm_model *const of = m->model;
    int status = close_place(of, m, on, 0, t, q, v, given, m->openings, m->work);
    if (!status) {
        status = close_motion(of, m, on, t, q, v, given, m->openings, m->work);
    }
    for (int l = 0; !status && l < of->lanes; l++) {
        if (on[l] < 0) {
            return beside(m, on, 1, t, q, v, 0, 0, given);
        }
    }
    return status;
}

/* Lanes whose loops could not be closed end where their step began; are there others to go on? */
static int leave_lost(mstmm_motion *m, int *on, int status)
{
    const mstmm_model *const of = m->model;
    const int L = of->lanes, n = of->nq + of->nv;
    const double *const change = m->openings + 2 * L * of->conditions;
    int any = 0, others = 0;
    for (int l = 0; l < L; l++) {
        int lost = 0;
        for (int j = 0; j < of->conditions; j++) {
            const double gap = m->openings[L * j + l];
            lost |= gap - gap != 0.0 || (status == MSTMM_OPEN && fabs(gap) > of->closed[j]);
        }
        for (int j = l; status == MSTMM_NOT_FINITE && j < L * of->nv; j += L) {
            lost |= change[j] - change[j] != 0.0;
        }
        lost = on[l] && (lost || !is_finite(m, l, m->next));
        others |= on[l] && !lost;
        any |= lost;
        for (int j = l; lost && j < L * n; j += L) {
            m->next[j] = m->y[j];
        }
        m->state[l] = lost ? status : m->state[l];
        on[l] = lost ? 0 : on[l];
    }
    return any && others;
}

/* Closes the loops after the step */
static void close_loops(mstmm_motion *m)
{
    int on[16];
    for (int l = 0; l < m->model->lanes; l++) {
        m->at_t[l] = m->taken[l] ? m->to[l] : m->t[l];
        on[l] = m->state[l] == MSTMM_UNDER_WAY;
    }
    int status;
    do {
        status = close_state(m, on, m->at_t, m->next, m->next + count_q(m),
                             (const double *const *)m->given);
    } while (status && leave_lost(m, on, status));
    for (int l = 0; l < m->model->lanes; l++) {
        if (status && on[l] && m->taken[l]) {
            m->state[l] = status == MSTMM_OPEN ? MSTMM_OPEN : MSTMM_NOT_FINITE;
        }
        m->taken[l] &= m->state[l] == MSTMM_UNDER_WAY;
    }
}

/* ---- What a step passes: events, records, the end --------------------------------------------- */

/* The state after a part of the step, as a row: from the continuous result, or by a shorter step */
static void inside(mstmm_motion *m, double part, int l)
{
    const int L = m->model->lanes;
    const method *const by = &methods[m->method];
    if (is_implicit(m)) {
        go_inside(m, part);
    } else if (by->adaptive) {
        const double rest = 1.0 - part;
        double weights[STAGES];
        for (int s = 0; s < STAGES; s++) {
            weights[s] = part * part * ((3.0 - 2.0 * part) * by->b[s] + rest * rest * by->dense[s]);
        }
        weights[0] += part * rest * rest;
        weights[STAGES - 1] -= part * part * rest;
        displace(m, by->stages, weights);
    } else {
        double h[16];
        mstmm_known known[16];
        memcpy(known, m->known, sizeof known); /* of lanes that have gone on already */
        for (int each = 0; each < L; each++) {
            h[each] = part * m->h[each];
        }
        step_over(m, 0, h);
        known[l] = m->known[l];
        memcpy(m->known, known, sizeof known);
    }
    if (closes(m)) {
        for (int j = 0; j < L * (m->model->nq + m->model->nv); j++) {
            m->at[j] = m->at[j / L * L + l];
        }
        take_given(m, m->t[l] + part * m->h[l], l);
        int on[16];
        for (int each = 0; each < L; each++) {
            on[each] = each == l;
        }
        close_state(m, on, m->at_t, m->at, m->at + count_q(m), (const double *const *)m->row_given);
    }
    take_row(m, m->at, l);
}

static void record(mstmm_motion *m, double t, int l)
{
    const int nq = m->model->nq, nv = m->model->nv;
    const long row = l * (m->records + 1) + m->recorded[l]++;
    memcpy(&m->run_q[row * nq], m->row, (size_t)nq * sizeof *m->row);
    memcpy(&m->run_v[row * nv], m->row + nq, (size_t)nv * sizeof *m->row);
    if (m->controllers) {
        record_inputs(m, &m->run_u[row * m->controlled], t, l);
    }
}

/* Events are functions of the speeds, which follow from the row's joint momenta, if it has them */
static void watch(mstmm_motion *m, double t, double *values, int l)
{
    const double *const v = row_speeds(m, t, l);
    if (!v || m->watcher(t, m->row, v, values, m->data)) {
        m->state[l] = MSTMM_FAILED;
    }
}

/* The part of the step after which event e has come: the secant rule of Illinois, now and then
 * halving. `values` hold all events before the step and after it; the row is left there. */
static double root(mstmm_motion *m, int e, const double *values, int l)
{
    double low = 0.0, high = 1.0, below = values[e], above = values[m->events + e];
    double *const now = m->values + 4 * m->events * l + 2 * m->events;
    int last = 0;
    for (int n = 0; n < 200 && above != 0.0 && high - low > 2.0 * DBL_EPSILON; n++) {
        double part = high - above * (high - low) / (above - below);
        if (n % 4 == 3 || !(part > low && part < high)) {
            part = 0.5 * (low + high);
        }
        inside(m, part, l);
        watch(m, m->t[l] + part * m->h[l], now, l);
        const int is_before = now[e] != 0.0 && (now[e] < 0.0) == (values[e] < 0.0);
        if (is_before) {
            low = part;
            below = now[e];
            above *= last == 1 ? 0.5 : 1.0;
        } else {
            high = part;
            above = now[e];
            below *= last == 2 ? 0.5 : 1.0;
        }
        last = is_before ? 1 : 2;
    }
    return high;
}

/* When in the step each event comes, 2 where it does not; the first one that ends the motion */
static double happen(mstmm_motion *m, int l)
{
    double *const values = m->values + 4 * m->events * l, *const after = values + m->events;
    double *const parts = values + 3 * m->events, end = 2.0;
    take_row(m, m->next, l);
    watch(m, m->to[l], after, l);
    for (int e = 0; e < m->events; e++) {
        const int rises = values[e] < 0.0 && after[e] >= 0.0, falls = values[e] > 0.0 && after[e] <= 0.0;
        const int comes = (rises && m->direction[e] >= 0) || (falls && m->direction[e] <= 0);
        parts[e] = comes ? root(m, e, values, l) : 2.0;
        end = m->terminal[e] && parts[e] < end ? parts[e] : end;
    }
    memcpy(values, after, (size_t)m->events * sizeof *values);
    return end;
}

/* Lists the events of a step in their order, up to the end of the motion */
static void list_events(mstmm_motion *m, double end, int l)
{
    const int nq = m->model->nq, nv = m->model->nv;
    double *const parts = m->values + 4 * m->events * l + 3 * m->events;
    for (;;) {
        int first = 0;
        for (int e = 1; e < m->events; e++) {
            first = parts[e] < parts[first] ? e : first;
        }
        if (parts[first] > 1.0 || parts[first] > end) {
            return;
        }
        if (parts[first] == 1.0) {
            take_row(m, m->next, l);
        } else {
            inside(m, parts[first], l);
        }
        m->found_t[m->found] = m->t[l] + parts[first] * m->h[l];
        m->found_event[m->found] = first;
        m->found_state[m->found] = l;
        memcpy(&m->found_q[m->found * nq], m->row, (size_t)nq * sizeof *m->row);
        memcpy(&m->found_v[m->found * nv], m->row + nq, (size_t)nv * sizeof *m->row);
        m->found++;
        parts[first] = 2.0;
    }
}

/* How firm the conditions are after a part of the step */
static double firmness_inside(mstmm_motion *m, double part, int l)
{
    const mstmm_model *const of = m->model;
    inside(m, part, l);
    m->known[l].from = HUGE_VAL; /* stages lie off the way */
    accelerate(m, 0, l, m->at_t, m->at, m->at + count_q(m), m->u,
               m->aside + of->lanes * (3 * of->nq + 6 * of->nv));
    return m->known[l].last; /* since then one has looked beside it */
}

/* How far the step goes, of coordinates that move loops */
static double travel(const mstmm_motion *m, int l)
{
    const int L = m->model->lanes;
    double far = 0.0;
    for (int j = l; j < L * m->model->nq; j += L) {
        const double most = fmax(fabs(m->next[j] - m->y[j]), fabs(m->h[l] * m->k[j]));
        far = fmax(far, m->moves[j] * most);
    }
    return far;
}

/* Lists the singular position that was seen last, if it is one of the step that is not listed yet */
static void list_passing(mstmm_motion *m, double end, int l)
{
    const int nq = m->model->nq, nv = m->model->nv;
    mstmm_known *const known = &m->known[l];
    const double slack = 1e-3 * known->near / m->h[l];
    double part = (known->passing - m->t[l]) / m->h[l];
    if (part < -slack || part > 1.0 + slack || part > end
        || fabs(known->passing - known->passed) < fmax(known->apart, slack * m->h[l])
        || m->room - m->found <= (m->model->lanes - 1L - l) * (m->events + 1)) {
        return;
    }
    part = fmax(0.0, fmin(part, 1.0));
    known->passed = known->passing;
    known->apart = known->near;
    double *const q = &m->found_q[m->found * nq], *const v = &m->found_v[m->found * nv];
    const double away = known->near / (PROBES * m->h[l]);
    const int between = part > PROBES * away && part < 1.0 - PROBES * away;
    memset(q, 0, (size_t)nq * sizeof *q);
    memset(v, 0, (size_t)nv * sizeof *v);
    for (int k = between ? -PROBES : 0; k <= (between ? PROBES : 0); k++) { /* by states that are regular */
        if (between && !k) {
            continue;
        }
        const double weight = between ? 0.5 * smooth[(k < 0 ? -k : k) - 1] : 1.0;
        inside(m, part + k * away, l);
        for (int j = 0; j < nq; j++) {
            q[j] += weight * m->row[j];
        }
        for (int j = 0; j < nv; j++) {
            v[j] += weight * m->row[nq + j];
        }
    }
    m->found_t[m->found] = fmin(known->passing, m->end);
    m->found_event[m->found] = m->events;
    m->found_state[m->found] = l;
    m->found++;
}

/* The conditions are less firm at a part in between than at both others: by golden sections, until a
 * state is near enough to a singular position to say when it comes, if there is one */
static void find_passing(mstmm_motion *m, double low, double high, double end, int l)
{
    mstmm_known *const known = &m->known[l];
    const double golden = 0.6180339887498949;
    double one = high - golden * (high - low), other = low + golden * (high - low);
    double at_other = firmness_inside(m, other, l), at_one = HUGE_VAL;
    if (!(known->from < HUGE_VAL)) {
        at_one = firmness_inside(m, one, l);
    }
    for (int n = 0; n < 24 && !(known->from < HUGE_VAL); n++) {
        if (at_one < at_other) {
            high = other, other = one, at_other = at_one;
            one = high - golden * (high - low);
            at_one = firmness_inside(m, one, l);
        } else {
            low = one, one = other, at_one = at_other;
            other = low + golden * (high - low);
            at_other = firmness_inside(m, other, l);
        }
    }
    if (!(known->from < HUGE_VAL)) {
        return;
    }
    for (int n = 0; n < 2; n++) { /* the nearer, the better */
        const mstmm_known seen = *known;
        firmness_inside(m, fmax(0.0, fmin((known->passing - m->t[l]) / m->h[l], 1.0)), l);
        if (!(known->from < HUGE_VAL)) {
            *known = seen; /* what the method errs is more than the distance */
        }
    }
    list_passing(m, end, l);
}

/* Lists the singular positions that the step passes. A step may pass one if the conditions, which are
 * known at its stages, change so fast between them that they could vanish; or if it is long. Then they
 * are looked at in as many places as leave no other one in between. */
static void find_passings(mstmm_motion *m, double end, int l)
{
    mstmm_known *const known = &m->known[l];
    const mstmm_known before = *known;
    const double far = travel(m, l) / 0.1, h = m->h[l];
    if (!(h > 0.0) || (before.lowest > 2.0 * before.steepest * h && far < methods[m->method].stages)) {
        return;
    }
    const int state = m->state[l]; /* what is looked at here is not the motion */
    const int pieces = 2 * (int)fmax(1.0, fmin(ceil(far / 3.0), 50));
    const double edge = fmin(0.5 / pieces, 0.1 * 0.003 / fmax(0.1 * far, DBL_MIN));
    double parts[3] = {0.0, 0.0, 0.0}, levels[3] = {before.level, before.level, before.level};
    for (int n = 0; n <= pieces + 2; n++) {
        const double part = n == 1 ? edge : n > pieces ? (n == pieces + 1 ? 1.0 - edge : 1.0) : n ? (n - 1.0) / pieces : 0.0;
        for (int i = 0; i < 2; i++) {
            parts[i] = parts[i + 1], levels[i] = levels[i + 1];
        }
        parts[2] = part, levels[2] = n ? firmness_inside(m, part, l) : before.level;
        if (n > 1 && levels[1] <= levels[0] && levels[1] <= levels[2]) {
            const double slope = fmax((levels[0] - levels[1]) / (parts[1] - parts[0]),
                                      (levels[2] - levels[1]) / (parts[2] - parts[1]));
            if (levels[1] <= 2.0 * slope * (parts[2] - parts[0])) {
                find_passing(m, parts[0], parts[2], end, l);
            }
        }
        const int starts = n == 1 && levels[1] < levels[2], ends = n == pieces + 2 && levels[2] < levels[1];
        if (starts || ends) {
            firmness_inside(m, starts ? 0.0 : 1.0, l);
            if (known->from < HUGE_VAL) {
                list_passing(m, end, l);
            }
        }
    }
    m->state[l] = state;
    known->level = before.level, known->since = before.since, known->steepest = before.steepest;
    known->last = before.last, known->when = before.when, known->lowest = before.lowest;
}

/* What the step passes: events, records, perhaps the end */
static void follow(mstmm_motion *m, int l)
{
    if (!m->taken[l]) {
        return;
    }
    const int adaptive = is_adaptive(m), L = m->model->lanes;
    const double h = m->h[l], before = m->t[l];
    const int last = m->to[l] >= m->end;
    const double part = m->events ? happen(m, l) : 2.0;
    const int stops = part <= 1.0;
    if (m->events) {
        list_events(m, part, l);
    }
    if (closes(m)) {
        find_passings(m, part, l);
    }
    const double now = stops ? before + part * h : m->to[l];
    while (adaptive && m->recorded[l] < m->records && m->times[m->recorded[l]] < now) {
        const double at = m->times[m->recorded[l]];
        inside(m, (at - before) / h, l);
        record(m, at, l);
    }
    if (stops && part < 1.0) {
        inside(m, part, l);
        for (int j = 0; j < m->model->nq + m->model->nv; j++) {
            m->next[j * L + l] = m->row[j];
        }
    }
    const int due = adaptive ? m->recorded[l] < m->records && m->times[m->recorded[l]] == now
                             : now == grid_end(m) && (m->done + 1) % m->stride == 0;
    m->t[l] = now;
    pass_jump(m, m->next, l);
    if (due || last || stops) {
        take_row(m, m->next, l);
        record(m, now, l);
    }
    if (m->state[l] == MSTMM_UNDER_WAY) {
        m->state[l] = stops ? MSTMM_STOPPED : last ? MSTMM_DONE : MSTMM_UNDER_WAY;
    }
}

/* ---- What a motion lacks to begin ------------------------------------------------------------- */

/* How much may be found in one step, of which there must be room for */
static long most_found(const mstmm_motion *m)
{
    return (m->events + (judges_loops(m->model) ? 1L : 0L)) * m->model->lanes;
}

static int is_implicit_without(const mstmm_motion *m)
{
    return methods[m->method].implicit && !(MSTMM_IMPLICIT && m->tangents && !m->model->speeds);
}

/* Of steps of fixed length */
static const char *missing_steps(const mstmm_motion *m)
{
    const long left = m->whole - m->first;
    if (left < 0 || (left > 0 && !(m->dt > 0.0)) || m->rest < 0.0) {
        return "dt is the length of a step, of which there are `whole`; `rest` that of a last one, or 0";
    }
    if (fabs(m->start + (double)m->whole * m->dt + m->rest - m->end) > 1e-2 * (m->dt + m->rest)) {
        return "`end` is not start + whole dt + rest: set `whole`, `dt` and `rest` to what leads there";
    }
    if (m->stride <= 0) {
        return "stride is 0: it says after how many steps a state is recorded";
    }
    const int last = m->whole % m->stride != 0 || m->rest > 0.0 || left == 0;
    if (m->records < 1 + m->whole / m->stride - m->first / m->stride + last) {
        return "records are too few: one for the start, one every `stride` steps, one for the end";
    }
    return 0;
}

/* Of methods that choose their steps */
static const char *missing_tolerances(const mstmm_motion *m)
{
    if (!(m->rtol >= 0.0 && m->atol >= 0.0 && m->rtol + m->atol > 0.0)) {
        return "rtol and atol are 0: they say what a step may err, of a number and besides";
    }
    if (m->end < m->start) {
        return "`end` lies before `start`";
    }
    if (m->records < 1 || (m->records > 1 && !m->times)) {
        return "times are missing: so many `records`, when states are recorded, from `start` on";
    }
    return 0;
}

/* What a motion lacks, or 0 */
static const char *missing(const mstmm_motion *m, int states, const double *const *given)
{
    const mstmm_model *const of = m->model;
    if (!of || !of->accelerations) {
        return "model is missing: the address of NAME_model, of a NAME that can be moved";
    }
    if (states < 1 || states > of->lanes) {
        return "states are not as many as the model has lanes, or fewer";
    }
    if (!m->work || !m->memory) {
        return "work or memory is missing: a NAME_work, and mstmm_memory(model) doubles";
    }
    if (m->method < 0 || m->method >= (int)(sizeof methods / sizeof *methods)) {
        return "method is none of those that mstmm_motion.h lists";
    }
    if (of->inputs > 0 && !given) {
        return "the inputs are missing, which NAME.h lists at NAME_model";
    }
    if (!m->run_q || !m->run_v) {
        return "run_q or run_v is missing: places for records + 1 states of each lane";
    }
    if (is_implicit_without(m)) {
        return "tangents are missing, the derivatives that an implicit method needs";
    }
    if (m->events > 0 && !(m->watcher && m->direction && m->terminal && m->values)) {
        return "watcher, direction, terminal or values is missing, which events need";
    }
    if (m->controllers > 0 && !(m->control && (m->run_u || !m->controlled))) {
        return "control or run_u is missing, which controllers need";
    }
    if (m->jump_count > 0 && !m->jumps) {
        return "jumps are missing";
    }
    if (m->room < most_found(m)) {
        return "room is too small: in a step a lane may come to each of its events, and with closed loops "
               "to a singular position";
    }
    if (most_found(m) > 0 && !(m->found_t && m->found_q && m->found_v && m->found_event && m->found_state)) {
        return "found_t, found_q, found_v, found_event or found_state is missing: places for what is found";
    }
    return is_adaptive(m) ? missing_tolerances(m) : missing_steps(m);
}

/* ---- The motion as a whole -------------------------------------------------------------------- */

/* Where a motion's arrays stand in its memory; without a memory only how long it is */
static long lay_out(mstmm_motion *m, const mstmm_model *of)
{
    const long n = filled(of), L = of->lanes;
    double **const arrays[] = {&m->y, &m->at, &m->next, &m->x, &m->lengths, &m->k,
                               &m->u, &m->openings, &m->row_u, &m->row,
                               &m->aside, &m->moves, &m->solved};
    const long lengths[] = {n, n, n, n, n, STAGES * n,
                            L * of->nv, L * (2 * of->conditions + of->nv + 2 * of->nq),
                            L * of->nv, of->nq + of->nv,
                            of->met ? L * (3 * of->nq + 7 * of->nv) : 0,
                            of->met ? L * (of->nq + of->conditions) : 0,
                            of->met ? 6 * L * of->solves : 0};
    long used = 0;
    for (int i = 0; i < 13; i++) {
        *arrays[i] = m->memory ? m->memory + used : 0;
        used += lengths[i];
    }
    for (int i = 0; i < of->inputs; i++) {
        m->given[i] = m->memory ? m->memory + used : 0;
        m->row_given[i] = m->memory ? m->given[i] + L * of->sizes[i] : 0;
        used += 2 * L * of->sizes[i];
    }
    return used;
}

long mstmm_memory(const mstmm_model *model)
{
    mstmm_motion none = {0};
    return lay_out(&none, model);
}

/* State after state to lanes; those without a state get the last one */
static void take_lanes(int L, int states, int n, const double *x, double *y)
{
    for (int j = 0; j < n; j++) {
        for (int l = 0; l < L; l++) {
            y[j * L + l] = x[(l < states ? l : states - 1) * n + j];
        }
    }
}

static int is_under_way(const mstmm_motion *m)
{
    int any = 0;
    for (int l = 0; l < m->model->lanes; l++) {
        any |= m->state[l] == MSTMM_UNDER_WAY;
    }
    return any;
}

const char *mstmm_begin(mstmm_motion *m, int states, const double *q, const double *v, const double *const *given)
{
    const mstmm_model *const of = m->model;
    const char *const lack = missing(m, states, given);
    if (lack) {
        for (int l = 0; l < 16; l++) {
            m->state[l] = MSTMM_FAILED;
        }
        return lack;
    }
    const int L = of->lanes;
    memset(m->memory, 0, (size_t)lay_out(m, of) * sizeof *m->memory);
    take_lanes(L, states, of->nq, q, m->y);
    take_lanes(L, states, of->nv, v, m->y + count_q(m));
    for (int i = 0; i < of->inputs; i++) {
        take_lanes(L, states, of->sizes[i], given[i], m->given[i]);
    }
    m->found = 0;
    m->done = m->first;
    for (int l = 0; l < L; l++) {
        m->t[l] = m->since[l] = multiple(m, m->first);
        m->h[l] = 0.0;
        m->shrunk[l] = m->taken[l] = 0;
        m->recorded[l] = m->leg[l] = 0;
        m->state[l] = l >= states ? MSTMM_DONE : MSTMM_UNDER_WAY;
        do {
            pass_jump(m, m->y, l);
        } while (m->anew[l]);
        m->anew[l] = 1;
        if (l >= states) {
            give_alike(m, states - 1, l);
        }
    }
    look_around(m);
    const int status = is_adaptive(m) ? first_stage(m) : 0;
    if (is_adaptive(m)) {
        guess(m);
    }
    for (int l = 0; l < L; l++) {
        const int sound = !status || is_finite(m, l, m->k);
        m->state[l] = sound || m->state[l] != MSTMM_UNDER_WAY ? m->state[l] : MSTMM_NOT_FINITE;
        take_row(m, m->y, l);
        if (l < states) {
            record(m, m->t[l], l);
        }
        if (m->events) {
            watch(m, m->t[l], m->values + 4 * m->events * l, l);
        }
    }
    return 0;
}

/* The first stage of the next step; behind a jump its length is guessed again */
static void start_anew(mstmm_motion *m)
{
    int jumped[16], any = 0;
    for (int l = 0; l < m->model->lanes; l++) {
        jumped[l] = m->anew[l];
        any |= jumped[l];
        m->anew[l] |= closes(m); /* which moved the state */
    }
    first_stage(m);
    if (any) {
        memcpy(m->anew, jumped, sizeof jumped);
        guess(m);
    }
}

/* Has a part of a step of fixed length been done, up to a jump of the laws? */
static int is_in_parts(const mstmm_motion *m)
{
    int any = 0;
    for (int l = 0; l < m->model->lanes; l++) {
        any |= m->state[l] == MSTMM_UNDER_WAY && m->to[l] != grid_end(m);
    }
    return any;
}

/* Ends adaptive motions that would take more than 100000000 steps at their present pace */
static void see_progress(mstmm_motion *m)
{
    for (int l = 0; m->done % 10000 == 0 && l < m->model->lanes; l++) {
        const double come = m->t[l] - m->since[l], left = m->end - m->t[l];
        if (m->state[l] == MSTMM_UNDER_WAY && left * 10000.0 > come * 100000000.0) {
            m->state[l] = MSTMM_ENDLESS;
        }
        m->since[l] = m->t[l];
    }
}

int mstmm_advance(mstmm_motion *m, long steps)
{
    if (!m->model || !is_under_way(m)) {
        return 0; /* begun without it, or at its end */
    }
    const int L = m->model->lanes, adaptive = is_adaptive(m);
    const size_t size = (size_t)filled(m->model) * sizeof *m->y;
    for (; steps > 0 && is_under_way(m) && m->room - m->found >= most_found(m); steps--) {
        for (int l = 0; l < L; l++) {
            aim(m, l);
        }
        step_over(m, adaptive, m->h);
        if (adaptive) {
            estimate(m);
        }
        for (int l = 0; l < L; l++) {
            judge(m, l);
        }
        memcpy(m->next, m->at, size);
        for (int l = 0; l < L; l++) {
            for (int j = l; !m->taken[l] && j < L * (m->model->nq + m->model->nv); j += L) {
                m->next[j] = m->y[j];
            }
        }
        if (closes(m)) {
            close_loops(m);
        }
        const int in_parts = !adaptive && is_in_parts(m);
        for (int l = 0; l < L; l++) {
            m->anew[l] = 0;
            follow(m, l);
        }
        memcpy(m->y, m->next, size);
        m->done += !in_parts;
        if (adaptive) {
            start_anew(m);
            see_progress(m);
        }
    }
    return is_under_way(m);
}
