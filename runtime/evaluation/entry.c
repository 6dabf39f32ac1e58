/* The door between Python and a compiled library: NumPy arrays in, the function's results out.
 * pointers.c, this file, call.c, method.c and door.c are one text. Here: what a function of the library
 * takes, and how it is run.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#include <numpy/arrayobject.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12, AXES = 8, OWN_AXES = 3, ALIGNMENT = 64 };

/* Above so many operations other threads of Python go on meanwhile; handing over costs 0.1 us. */
#define LONG_WORK 50000.0

/* Within this of 1 a quaternion's norm is 1 but for rounding, as in arguments.py. */
#define ROUNDED 1e-14

/* One buffer of the function: where its numbers come from or go to. */
typedef struct {
    Py_ssize_t size;    /* doubles of one state */
    int given;          /* the caller's argument that it is, -1 of a constant or a result */
    int result;         /* the result that it is, -1 of an input */
    int axes;           /* of a result: its axes, whose product is `size` */
    npy_intp shape[OWN_AXES];
    double *fixed;      /* what it is where None is given; NULL: it must be given */
    npy_intp many;      /* of so many states, one after the other; 0: the same of all */
} Buffer;

/* Where a workspace tells of the solves for multipliers, of each, and of each lane: see mstmm_solve.h. A
 * state is regular if none has a rank or a least pivot below its limits, or has dropped one above. */
enum { LEAST, DROPPED, RANK, MET = 5 };
typedef struct {
    Py_ssize_t at;
    int lanes, solves; /* 0: it tells nothing */
    const double *limits;
    PyObject *kept;
} Watch;

typedef struct call {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    void *function;
    int takes_states;   /* 1: a batch function, whose first argument is their number */
    int count;          /* buffers of the function; those after them are checked alone */
    int rows;
    Py_ssize_t inputs;  /* doubles of all arguments of one state */
    int arguments;      /* of the caller: the inputs, then `out` */
    int results;
    Py_ssize_t work;    /* bytes of its workspace */
    double cost;        /* operations of one state */
    Buffer buffers[MOST];
    Py_ssize_t *units;  /* where quaternions begin in argument 0 */
    Py_ssize_t unit_count;
    char *memory, *own; /* a workspace, and where it begins on a boundary */
    char busy;
    Watch watch;
    struct call *guard; /* NULL: any arguments will do */
    double *most;       /* of every number of each of the guard's results: what it may be */
    Py_ssize_t most_count;
    PyObject *kept;
} Call;

static int once(void *function, int count, P *p, void *work)
{
    switch (count) {
#define CASE(n) case n: return ((int (*)(TYPES_##n, void *))function)(GIVEN_##n, work);
        EACH(CASE)
#undef CASE
    default: return 1;
    }
}

/* The function on all states; a stride of 0 gives every state the same numbers. */
static int run(void *function, int takes_states, int count, Py_ssize_t states, P *p,
               const Py_ssize_t *strides, void *work)
{
    if (takes_states) {
        return together(function, count, (long)states, p, work);
    }
    int status = 0;
    for (Py_ssize_t k = 0; k < states; k++) {
        status |= once(function, count, p, work);
        for (int i = 0; i < count; i++) {
            p[i] += strides[i];
        }
    }
    return status;
}

/* Pairs, in four sums: number after number takes as long as a third of an arm's dynamics. */
typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));

static int all_finite(const double *x, Py_ssize_t count)
{
    Pair a = {0.0}, b = a, c = a, d = a; /* sums of 0, or of what is not a number */
    Py_ssize_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const Pair *const now = (const Pair *)(x + i);
        a += now[0] * 0.0;
        b += now[1] * 0.0;
        c += now[2] * 0.0;
        d += now[3] * 0.0;
    }
    for (; i < count; i++) {
        a[0] += x[i] * 0.0;
    }
    a += b + c + d;
    return a[0] + a[1] == 0.0;
}

static int all_unit(const Call *call, const double *q, Py_ssize_t size, Py_ssize_t states)
{
    for (Py_ssize_t k = 0; call->unit_count && k < states; k++, q += size) {
        for (Py_ssize_t i = 0; i < call->unit_count; i++) {
            const double *const u = q + call->units[i];
            const double norm = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
            if (!(fabs(norm - 1.0) <= ROUNDED)) {
                return 0;
            }
        }
    }
    return 1;
}

static int fits(PyObject *given)
{
    PyArrayObject *const array = (PyArrayObject *)given;
    return PyArray_CheckExact(given) && PyArray_TYPE(array) == NPY_DOUBLE
        && PyArray_ISCARRAY_RO(array) && PyArray_NDIM(array) <= AXES;
}

static void forget(const Watch *watch, char *work)
{
    double *now = (double *)(void *)(work + watch->at);
    for (int k = 0; k < watch->lanes * watch->solves; k++, now += MET) {
        now[LEAST] = 1.0;
        now[DROPPED] = 0.0;
        now[RANK] = HUGE_VAL;
    }
}

/* Were all states since regular? */
static int regular(const Watch *watch, char *work)
{
    const double *now = (const double *)(void *)(work + watch->at), *limits = watch->limits;
    int odd = 0;
    for (int s = 0; s < watch->solves; s++, limits += 3) {
        for (int l = 0; l < watch->lanes; l++, now += MET) {
            odd |= now[LEAST] < limits[LEAST] || now[DROPPED] > limits[DROPPED] || now[RANK] < limits[RANK];
        }
    }
    return !odd;
}

/* A watch from None or (at, lanes, solves, limits) */
static int read_watch(Watch *watch, PyObject *given)
{
    PyObject *limits;
    if (given == Py_None) {
        return 1;
    }
    if (!PyTuple_Check(given) || !PyArg_ParseTuple(given, "niiO", &watch->at, &watch->lanes, &watch->solves, &limits)) {
        return 0;
    }
    if (!fits(limits) || PyArray_SIZE((PyArrayObject *)limits) != 3 * watch->solves) {
        PyErr_SetString(PyExc_ValueError, "a watch has three limits of each solve");
        return 0;
    }
    watch->limits = PyArray_DATA((PyArrayObject *)limits);
    watch->kept = Py_NewRef(limits);
    return 1;
}

static char *aligned(char *memory)
{
    return memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
}
