/* Times calls of one shape: pointers to doubles, one state after another, then a context. */
#define _GNU_SOURCE
#include <math.h>
#include <time.h>

enum { MOST = 6 };

/* How a function takes its states: one a call, all in one call, or a motion of many steps. */
enum { SINGLE, BATCH, MOTION };

/* `data[i] + s * stride[i]` is argument i of state s; the last `results` arguments are written. */
typedef struct {
    void *function;
    int kind;
    int arguments;
    double *data[MOST];
    long stride[MOST];
    void *context;
    long states;
    double dt;
    long steps;
    const double *start[2];
} call;

typedef int (*one)(double *, void *);
typedef int (*two)(double *, double *, void *);
typedef int (*three)(double *, double *, double *, void *);
typedef int (*four)(double *, double *, double *, double *, void *);
typedef int (*five)(double *, double *, double *, double *, double *, void *);
typedef int (*six)(double *, double *, double *, double *, double *, double *, void *);
typedef int (*batch2)(long, double *, double *, void *);
typedef int (*batch3)(long, double *, double *, double *, void *);
typedef int (*batch4)(long, double *, double *, double *, double *, void *);
typedef int (*batch5)(long, double *, double *, double *, double *, double *, void *);
typedef int (*batch6)(long, double *, double *, double *, double *, double *, double *, void *);
typedef int (*motion)(double *, double *, double, long, void *);

static int single(const call *c, long s)
{
    double *p[MOST];
    for (int i = 0; i < c->arguments; i++) {
        p[i] = c->data[i] + s * c->stride[i];
    }
    switch (c->arguments) {
    case 1: return ((one)c->function)(p[0], c->context);
    case 2: return ((two)c->function)(p[0], p[1], c->context);
    case 3: return ((three)c->function)(p[0], p[1], p[2], c->context);
    case 4: return ((four)c->function)(p[0], p[1], p[2], p[3], c->context);
    case 5: return ((five)c->function)(p[0], p[1], p[2], p[3], p[4], c->context);
    default: return ((six)c->function)(p[0], p[1], p[2], p[3], p[4], p[5], c->context);
    }
}

static int batch(const call *c)
{
    double *const *p = c->data;
    switch (c->arguments) {
    case 2: return ((batch2)c->function)(c->states, p[0], p[1], c->context);
    case 3: return ((batch3)c->function)(c->states, p[0], p[1], p[2], c->context);
    case 4: return ((batch4)c->function)(c->states, p[0], p[1], p[2], p[3], c->context);
    case 5: return ((batch5)c->function)(c->states, p[0], p[1], p[2], p[3], p[4], c->context);
    default:
        return ((batch6)c->function)(c->states, p[0], p[1], p[2], p[3], p[4], p[5], c->context);
    }
}

/* From the start, so that every motion is the same one. */
static int moved(const call *c)
{
    for (int i = 0; i < 2; i++) {
        for (long k = 0; k < c->stride[i]; k++) {
            c->data[i][k] = c->start[i][k];
        }
    }
    return ((motion)c->function)(c->data[0], c->data[1], c->dt, c->steps, c->context);
}

/* All states once. */
int harness_once(const call *c)
{
    int status = 0;
    if (c->kind == MOTION) {
        return moved(c);
    }
    if (c->kind == BATCH) {
        return batch(c);
    }
    for (long s = 0; s < c->states; s++) {
        status |= single(c, s);
    }
    return status;
}

/* Of this thread: what others take of the core meanwhile does not count. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds for all states, the mean of `passes` passes over them. */
double harness_time(const call *c, long passes)
{
    const double begin = seconds();
    for (long k = 0; k < passes; k++) {
        harness_once(c);
    }
    return (seconds() - begin) / (double)passes;
}

/* Multiply-adds in vectors of registers' width, as many at once as hide their latency: the most
 * operations a second of this core. */
#if defined __AVX512F__
enum { WIDTH = 8 };
#elif defined __AVX__
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif
typedef double lanes __attribute__((vector_size(8 * WIDTH)));
enum { CHAINS = 16 };

double harness_peak(long passes)
{
    lanes x[CHAINS], a = (lanes){0} + 0.999999, b = (lanes){0} + 1e-9;
    for (int i = 0; i < CHAINS; i++) {
        x[i] = (lanes){0} + (double)i;
    }
    const double begin = seconds();
    for (long k = 0; k < passes; k++) {
#pragma GCC unroll 16
        for (int i = 0; i < CHAINS; i++) {
            x[i] = x[i] * a + b;
        }
    }
    const double time = seconds() - begin;
    lanes sum = {0};
    for (int i = 0; i < CHAINS; i++) {
        sum += x[i];
    }
    volatile double kept = sum[0];
    (void)kept;
    return 2.0 * WIDTH * CHAINS * (double)passes / time;
}
