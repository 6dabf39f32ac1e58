/* The door between Python and a compiled library: NumPy arrays in, the function's results out.
 *
 * A Call holds a function of the library with the lengths of its buffers. Called with arrays that
 * fit as they are (doubles, contiguous, finite, quaternions of unit length), or with lists of numbers
 * for one state, it runs the function, on one state or on as many as the arrays hold, and returns new
 * arrays; else it returns None, and the caller looks closer in Python: makes arrays that fit, or says
 * what is wrong. A Call may have a guard, another Call that takes the same arguments: where one of its
 * results is larger than it may be, None is returned before the function is run. Where the function
 * reports numbers that are not finite it returns None too, and where a state is in a singular position
 * of closed loops.
 *
 * A Method is a method of solvers: it takes arguments by place and by name, finds the Call that its
 * words mean (the name of a frame, of a variant), and where that wants a closer look hands all it was
 * given to a function in Python.
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
} Buffer;

/* Where a workspace tells of the solves for multipliers, of each lane the least pivot and the rank: see
 * mstmm_solve.h. A state is regular if neither is below the limits: of the rank, then of the pivot. */
enum { LEAST, RANK, MET = 4 };
typedef struct {
    Py_ssize_t at;
    int lanes; /* 0: it tells nothing */
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

typedef double *P;

#define EACH(x) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12)
#define TYPES_1 P
#define TYPES_2 TYPES_1, P
#define TYPES_3 TYPES_2, P
#define TYPES_4 TYPES_3, P
#define TYPES_5 TYPES_4, P
#define TYPES_6 TYPES_5, P
#define TYPES_7 TYPES_6, P
#define TYPES_8 TYPES_7, P
#define TYPES_9 TYPES_8, P
#define TYPES_10 TYPES_9, P
#define TYPES_11 TYPES_10, P
#define TYPES_12 TYPES_11, P
#define GIVEN_1 p[0]
#define GIVEN_2 GIVEN_1, p[1]
#define GIVEN_3 GIVEN_2, p[2]
#define GIVEN_4 GIVEN_3, p[3]
#define GIVEN_5 GIVEN_4, p[4]
#define GIVEN_6 GIVEN_5, p[5]
#define GIVEN_7 GIVEN_6, p[6]
#define GIVEN_8 GIVEN_7, p[7]
#define GIVEN_9 GIVEN_8, p[8]
#define GIVEN_10 GIVEN_9, p[9]
#define GIVEN_11 GIVEN_10, p[10]
#define GIVEN_12 GIVEN_11, p[11]

static int once(void *function, int count, P *p, void *work)
{
    switch (count) {
#define CASE(n) case n: return ((int (*)(TYPES_##n, void *))function)(GIVEN_##n, work);
        EACH(CASE)
#undef CASE
    default: return 1;
    }
}

static int together(void *function, int count, long states, P *p, void *work)
{
    switch (count) {
#define CASE(n) case n: return ((int (*)(long, TYPES_##n, void *))function)(states, GIVEN_##n, work);
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

static int all_finite(const double *x, Py_ssize_t count)
{
    double lost[8] = {0.0}; /* sums of 0, or of what is not a number */
    Py_ssize_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int k = 0; k < 8; k++) {
            lost[k] += x[i + k] * 0.0;
        }
    }
    for (; i < count; i++) {
        lost[0] += x[i] * 0.0;
    }
    double all = 0.0;
    for (int k = 0; k < 8; k++) {
        all += lost[k];
    }
    return all == 0.0;
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

static double *met(const Watch *watch, char *work, int lane)
{
    return (double *)(void *)(work + watch->at) + MET * lane;
}

static void forget(const Watch *watch, char *work)
{
    for (int l = 0; l < watch->lanes; l++) {
        met(watch, work, l)[LEAST] = 1.0;
        met(watch, work, l)[RANK] = 0.0;
    }
}

/* Were all these states regular? */
static int regular(const Watch *watch, char *work, Py_ssize_t states)
{
    const Py_ssize_t times = watch->lanes ? (states + watch->lanes - 1) / watch->lanes : 0;
    for (int l = 0; l < watch->lanes; l++) {
        const double *const now = met(watch, work, l);
        if (now[RANK] < watch->limits[0] * (double)times || now[LEAST] < watch->limits[1]) {
            return 0;
        }
    }
    return 1;
}

/* A watch from None or (at, lanes, limits) */
static int read_watch(Watch *watch, PyObject *given)
{
    PyObject *limits;
    if (given == Py_None) {
        return 1;
    }
    if (!PyTuple_Check(given) || !PyArg_ParseTuple(given, "niO", &watch->at, &watch->lanes, &limits)) {
        return 0;
    }
    if (!fits(limits) || PyArray_SIZE((PyArrayObject *)limits) != 2) {
        PyErr_SetString(PyExc_ValueError, "a watch has two limits");
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

/* What one use of a Call works with. */
typedef struct {
    P start[MOST];
    Py_ssize_t stride[MOST];
    PyObject *results[MOST];
    double number[MOST];    /* of arguments that are one number, such as the time */
    double *copies;         /* of what all states share, one after the other */
    double *listed;         /* the numbers of lists */
    Py_ssize_t states;
    int axes;               /* of the batch */
    npy_intp batch[AXES];
} Use;

static void begin(Use *use)
{
    use->copies = use->listed = NULL;
    use->axes = 0;
    memset(use->results, 0, sizeof use->results);
    memset(use->stride, 0, sizeof use->stride);
}

static void end(Use *use)
{
    free(use->copies);
    free(use->listed);
}

/* One finite number, as Python or NumPy has it. */
static int number(PyObject *given, double *found)
{
    if (PyFloat_Check(given)) {
        *found = PyFloat_AS_DOUBLE(given);
    } else if (PyLong_CheckExact(given)) {
        *found = PyLong_AsDouble(given);
        if (PyErr_Occurred()) {
            PyErr_Clear();
            return 0;
        }
    } else {
        return 0;
    }
    return isfinite(*found);
}

/* A list's or tuple's numbers, if it has as many as the buffer. */
static int listed(const Buffer *b, PyObject *given, double *found)
{
    Py_ssize_t i = 0;
    if (PySequence_Fast_GET_SIZE(given) == b->size) {
        PyObject *const *const items = PySequence_Fast_ITEMS(given);
        for (; i < b->size && number(items[i], found + i); i++) {
        }
    }
    return i == b->size && b->size;
}

/* The inputs as they are; 0 where one needs a closer look. */
static int take(const Call *call, PyObject *const *args, Use *use)
{
    double *room = NULL;
    for (int i = 0; i < call->rows; i++) {
        const Buffer *const b = &call->buffers[i];
        if (b->result >= 0) {
            continue;
        }
        PyObject *const given = b->given < 0 ? Py_None : args[b->given];
        if (given == Py_None) {
            if (!b->fixed) {
                return 0;
            }
            use->start[i] = b->fixed;
        } else if (b->axes == 0) {
            use->start[i] = &use->number[i];
            if (!number(given, &use->number[i])) {
                return 0;
            }
        } else if (PyList_CheckExact(given) || PyTuple_CheckExact(given)) {
            if (!use->listed && !(room = use->listed = malloc(call->inputs * sizeof *room))) {
                return 0;
            }
            use->start[i] = room;
            if (!listed(b, given, room) || (b->given == 0 && !all_unit(call, room, b->size, 1))) {
                return 0;
            }
            room += b->size;
        } else {
            if (!fits(given)) {
                return 0;
            }
            PyArrayObject *const array = (PyArrayObject *)given;
            const int outer = PyArray_NDIM(array) - 1;
            if (outer < 0 || PyArray_DIM(array, outer) != b->size
                || !all_finite(PyArray_DATA(array), PyArray_SIZE(array))) {
                return 0;
            }
            use->start[i] = PyArray_DATA(array);
            if (outer) {
                if (use->axes && (use->axes != outer
                    || memcmp(use->batch, PyArray_DIMS(array), outer * sizeof(npy_intp)))) {
                    return 0;
                }
                use->axes = outer;
                memcpy(use->batch, PyArray_DIMS(array), outer * sizeof(npy_intp));
                use->stride[i] = b->size;
            }
            if (b->given == 0 && call->unit_count) {
                const Py_ssize_t states = b->size ? PyArray_SIZE(array) / b->size : 0;
                if (!all_unit(call, PyArray_DATA(array), b->size, states)) {
                    return 0;
                }
            }
        }
    }
    use->states = 1;
    for (int k = 0; k < use->axes; k++) {
        use->states *= use->batch[k];
    }
    return use->states > 0;
}

/* Is this array fit to be buffer `at`, and apart from all that is read and from those before it? */
static int writable(const Call *call, int at, PyObject *out, const npy_intp *shape, int axes,
                    const Use *use)
{
    PyArrayObject *const array = (PyArrayObject *)out;
    if (!fits(out) || !PyArray_ISWRITEABLE(array) || PyArray_NDIM(array) != axes
        || memcmp(PyArray_DIMS(array), shape, axes * sizeof(npy_intp))) {
        return 0;
    }
    const double *const first = PyArray_DATA(array), *const end = first + PyArray_SIZE(array);
    for (int i = 0; i < call->count; i++) {
        const double *const x = use->start[i];
        const Py_ssize_t size = call->buffers[i].size * (use->stride[i] ? use->states : 1);
        if ((call->buffers[i].result < 0 || i < at) && x < end && first < x + size) {
            return 0;
        }
    }
    return 1;
}

/* The array for this result that `out` is, or has among several; None if it is None. */
static PyObject *wanted(const Call *call, PyObject *out, int result)
{
    if (call->results == 1 || out == Py_None) {
        return out;
    }
    return PyTuple_Check(out) && PyTuple_GET_SIZE(out) == call->results
        ? PyTuple_GET_ITEM(out, result) : NULL;
}

/* Arrays for the results; 0 where `out` does not fit, -1 where there is no memory. */
static int give(const Call *call, PyObject *out, Use *use)
{
    for (int i = 0; i < call->count; i++) {
        const Buffer *const b = &call->buffers[i];
        if (b->result < 0) {
            continue;
        }
        npy_intp shape[AXES + OWN_AXES];
        memcpy(shape, use->batch, use->axes * sizeof(npy_intp));
        memcpy(shape + use->axes, b->shape, b->axes * sizeof(npy_intp));
        PyObject *array, *const mine = wanted(call, out, b->result);
        if (!mine) {
            return 0;
        }
        if (mine != Py_None) {
            if (!writable(call, i, mine, shape, use->axes + b->axes, use)) {
                return 0;
            }
            array = Py_NewRef(mine);
        } else {
            array = PyArray_SimpleNew(use->axes + b->axes, shape, NPY_DOUBLE);
        }
        if (!array) {
            return -1;
        }
        use->results[b->result] = array;
        use->start[i] = PyArray_DATA((PyArrayObject *)array);
        use->stride[i] = b->size;
    }
    return 1;
}

/* For a batch function: what all states share, once for each. */
static int spread(const Call *call, Use *use)
{
    Py_ssize_t room = 0;
    for (int i = 0; i < call->count; i++) {
        room += use->stride[i] ? 0 : call->buffers[i].size;
    }
    if (!room || use->states == 1) {
        return 1;
    }
    double *at = use->copies = malloc(room * use->states * sizeof(double));
    if (!at) {
        return 0;
    }
    for (int i = 0; i < call->count; i++) {
        const Py_ssize_t size = call->buffers[i].size;
        if (!use->stride[i] && size) {
            const double *const one = use->start[i];
            use->start[i] = at;
            for (Py_ssize_t k = 0; k < use->states; k++, at += size) {
                memcpy(at, one, size * sizeof(double));
            }
        }
    }
    return 1;
}

static int perform(Call *call, Use *use)
{
    const int first = !__atomic_exchange_n(&call->busy, 1, __ATOMIC_ACQUIRE);
    char *const other = first ? NULL : calloc(call->work + ALIGNMENT, 1);
    char *const work = first ? call->own : other ? aligned(other) : NULL;
    int status = 1;
    if (work) {
        PyThreadState *const state =
            call->cost * (double)use->states > LONG_WORK ? PyEval_SaveThread() : NULL;
        forget(&call->watch, work);
        status = run(call->function, call->takes_states, call->count, use->states, use->start,
                     use->stride, work);
        status |= !regular(&call->watch, work, use->states);
        if (state) {
            PyEval_RestoreThread(state);
        }
    }
    free(other);
    if (first) {
        __atomic_store_n(&call->busy, 0, __ATOMIC_RELEASE);
    }
    return status;
}

/* Does the guard let these arguments pass: is none of its results larger than it may be? */
static int passed(const Call *call, PyObject *const *args)
{
    Call *const guard = call->guard;
    double some[64], *room = some;
    Py_ssize_t size = 0;
    PyObject *own[MOST + 1];
    Use use;
    begin(&use);
    memcpy(own, args, (call->arguments - 1) * sizeof *own);
    own[call->arguments - 1] = Py_None;
    if (!take(guard, own, &use)) {
        end(&use);
        return 0;
    }
    for (int i = 0; i < guard->count; i++) {
        size += guard->buffers[i].result < 0 ? 0 : guard->buffers[i].size * use.states;
    }
    if (size > 64 && !(room = malloc(size * sizeof *room))) {
        end(&use);
        return 0;
    }
    double *at = room;
    for (int i = 0; i < guard->count; i++) {
        if (guard->buffers[i].result >= 0) {
            use.start[i] = at;
            use.stride[i] = guard->buffers[i].size;
            at += use.stride[i] * use.states;
        }
    }
    int good = (!guard->takes_states || spread(guard, &use)) && perform(guard, &use) == 0;
    for (const double *x = room; x < room + size; x += call->most_count) {
        for (Py_ssize_t i = 0; i < call->most_count; i++) {
            good &= fabs(x[i]) <= call->most[i];
        }
    }
    end(&use);
    if (room != some) {
        free(room);
    }
    return good;
}

/* A guard from None or (call, most) */
static int read_guard(Call *call, PyObject *given, PyTypeObject *type)
{
    PyObject *guard, *most;
    if (given == Py_None) {
        return 1;
    }
    if (!PyTuple_Check(given) || !PyArg_ParseTuple(given, "O!O", type, &guard, &most)) {
        return 0;
    }
    int right = fits(most) && ((Call *)guard)->arguments == call->arguments
        && call->arguments <= MOST + 1;
    call->most_count = right ? PyArray_SIZE((PyArrayObject *)most) : 0;
    for (int i = 0; i < ((Call *)guard)->count; i++) {
        const Buffer *const b = &((Call *)guard)->buffers[i];
        right &= b->result < 0 || b->size == call->most_count;
    }
    if (!right || call->most_count < 1) {
        PyErr_SetString(PyExc_ValueError, "a guard takes the arguments of its call");
        return 0;
    }
    call->most = malloc(call->most_count * sizeof(double));
    if (!call->most) {
        PyErr_NoMemory();
        return 0;
    }
    memcpy(call->most, PyArray_DATA((PyArrayObject *)most), call->most_count * sizeof(double));
    call->guard = (Call *)Py_NewRef(guard);
    return 1;
}

/* The results of as many arguments as a Call has, of which the last is `out`. */
static PyObject *results_of(Call *call, PyObject *const *args)
{
    if (call->guard && !passed(call, args)) {
        Py_RETURN_NONE;
    }
    Use use;
    begin(&use);
    if (!take(call, args, &use)) {
        end(&use);
        Py_RETURN_NONE;
    }
    const int made = give(call, args[call->arguments - 1], &use);
    int good = made > 0 && (!call->takes_states || spread(call, &use));
    good = good && perform(call, &use) == 0;
    end(&use);
    PyObject *found = NULL;
    if (good && call->results == 1) {
        return use.results[0];
    }
    if (good && (found = PyTuple_New(call->results))) {
        for (int k = 0; k < call->results; k++) {
            PyTuple_SET_ITEM(found, k, use.results[k]);
        }
        return found;
    }
    for (int k = 0; k < call->results; k++) {
        Py_XDECREF(use.results[k]);
    }
    if (made < 0 || good) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *called(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Call *const call = (Call *)self;
    if (PyVectorcall_NARGS(flags) != call->arguments || names) {
        PyErr_Format(PyExc_TypeError, "takes %d positional arguments", call->arguments);
        return NULL;
    }
    return results_of(call, args);
}

static int read_buffer(Buffer *b, PyObject *row)
{
    PyObject *fixed, *shape;
    if (!PyArg_ParseTuple(row, "niiO!O", &b->size, &b->given, &b->result, &PyTuple_Type, &shape,
                          &fixed)) {
        return 0;
    }
    b->axes = (int)PyTuple_GET_SIZE(shape);
    if (b->size < 0 || b->axes > OWN_AXES) {
        PyErr_SetString(PyExc_ValueError, "a buffer has no length, or too many axes");
        return 0;
    }
    for (int k = 0; k < b->axes; k++) {
        b->shape[k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, k));
    }
    if (fixed != Py_None) {
        PyArrayObject *const array = (PyArrayObject *)fixed;
        if (!fits(fixed) || PyArray_SIZE(array) != b->size) {
            PyErr_SetString(PyExc_ValueError, "a constant does not fit its buffer");
            return 0;
        }
        b->fixed = malloc((b->size + 1) * sizeof(double));
        if (!b->fixed) {
            PyErr_NoMemory();
            return 0;
        }
        memcpy(b->fixed, PyArray_DATA(array), b->size * sizeof(double));
    }
    return !PyErr_Occurred();
}

static int read_units(Call *call, PyObject *units)
{
    call->unit_count = PyTuple_GET_SIZE(units);
    call->units = malloc((call->unit_count + 1) * sizeof *call->units);
    if (!call->units) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t k = 0; k < call->unit_count; k++) {
        call->units[k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(units, k));
    }
    return !PyErr_Occurred();
}

/* Do all places that are named lie within what there is? Counts the inputs. */
static int consistent(Call *call)
{
    int results = 0;
    for (int i = 0; i < call->rows; i++) {
        const Buffer *const b = &call->buffers[i];
        if (b->given >= call->arguments - 1 || b->result >= call->results
            || (b->result < 0 && b->given < 0 && !b->fixed)) { /* nothing to read */
            return 0;
        }
        results += b->result >= 0;
        call->inputs += b->given >= 0 ? b->size : 0;
        for (Py_ssize_t k = 0; b->given == 0 && k < call->unit_count; k++) {
            if (call->units[k] < 0 || call->units[k] + 4 > b->size) {
                return 0;
            }
        }
        npy_intp size = 1;
        for (int k = 0; k < b->axes; k++) {
            size *= b->shape[k];
        }
        if (size != b->size) {
            return 0;
        }
    }
    return results == call->results && call->count >= 1 && call->count <= call->rows;
}

static PyObject *call_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    unsigned long long function;
    PyObject *rows, *units, *kept, *watch, *guard;
    Call *const call = (Call *)type->tp_alloc(type, 0);
    if (!call) {
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "KpnO!iiidO!OOO", &function, &call->takes_states, &call->work,
                          &PyTuple_Type, &rows, &call->count, &call->arguments, &call->results, &call->cost,
                          &PyTuple_Type, &units, &kept, &watch, &guard)
        || !read_watch(&call->watch, watch)) {
        goto wrong;
    }
    call->vectorcall = called;
    call->function = (void *)(uintptr_t)function;
    call->arguments += 1; /* out */
    const Py_ssize_t count = PyTuple_GET_SIZE(rows);
    if (count < 1 || count > MOST || call->results < 1 || call->results > MOST || call->work < 0) {
        PyErr_SetString(PyExc_ValueError, "a call takes 1 to 12 buffers");
        goto wrong;
    }
    for (call->rows = 0; call->rows < count; call->rows++) {
        if (!read_buffer(&call->buffers[call->rows], PyTuple_GET_ITEM(rows, call->rows))) {
            goto wrong;
        }
    }
    if (!read_units(call, units) || !read_guard(call, guard, type)) {
        goto wrong;
    }
    if (!consistent(call)) {
        PyErr_SetString(PyExc_ValueError, "the buffers of a call contradict each other");
        goto wrong;
    }
    call->memory = calloc(call->work + ALIGNMENT, 1);
    if (!call->memory) {
        PyErr_NoMemory();
        goto wrong;
    }
    call->own = aligned(call->memory);
    call->kept = Py_NewRef(kept);
    return (PyObject *)call;
wrong:
    Py_DECREF(call);
    return NULL;
}

static void call_dealloc(PyObject *self)
{
    Call *const call = (Call *)self;
    for (int i = 0; i < MOST; i++) {
        free(call->buffers[i].fixed);
    }
    free(call->units);
    free(call->memory);
    free(call->most);
    Py_XDECREF(call->guard);
    Py_XDECREF(call->kept);
    Py_XDECREF(call->watch.kept);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject CallType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "mstmm_door.Call",
    .tp_doc = "A function of a compiled library on NumPy arrays; None where they need a closer look.",
    .tp_basicsize = sizeof(Call),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Call, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_new = call_new,
    .tp_dealloc = call_dealloc,
};

/* What a parameter of a Method is, if no argument of its Calls: a word that tells which Call is meant,
 * or what no Call takes. */
enum { WORD = -1, UNTOLD = -2, NAMES = 16, KNOWN = 256 };

/* A method of solvers. */
typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *attributes;     /* what functions have: a name, a docstring, a signature */
    PyObject *names;          /* of its parameters, but for the solver */
    PyObject *defaults;       /* their values where they are not given */
    Py_ssize_t required, positional;
    int role[NAMES];          /* of each the argument of the Calls that it is */
    Py_ssize_t words;
    int arguments;            /* of its Calls, `out` last */
    PyObject *choose;         /* of words: None, or (a Call, what makes something of its results) */
    PyObject *closer;         /* what looks closer: takes all that is given */
    PyObject *chosen;         /* by words what was chosen */
} Method;

/* The parameter of this name, -1 if there is none. */
static Py_ssize_t named(const Method *method, PyObject *name)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(method->names); k++) {
        if (PyTuple_GET_ITEM(method->names, k) == name) { /* both are interned */
            return k;
        }
    }
    return -1;
}

/* By parameter what is given; 0 where that is no call of this method. */
static int bind(const Method *method, PyObject *const *args, Py_ssize_t count, PyObject *names,
                PyObject **given)
{
    const Py_ssize_t all = PyTuple_GET_SIZE(method->names);
    if (count > method->positional) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < all; k++) {
        given[k] = k < count ? args[k] : NULL;
    }
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        const Py_ssize_t k = named(method, PyTuple_GET_ITEM(names, i));
        if (k < 0 || given[k]) {
            return 0;
        }
        given[k] = args[count + i];
    }
    for (Py_ssize_t k = 0; k < all; k++) {
        if (!given[k] && k < method->required) {
            return 0;
        }
        given[k] = given[k] ? given[k] : PyTuple_GET_ITEM(method->defaults, k);
    }
    return 1;
}

/* What the words mean, asked for once: a borrowed pair, or None. NULL: they cannot be looked up. */
static PyObject *meant(Method *method, PyObject *const *given)
{
    PyObject *const key = PyTuple_New(method->words);
    Py_ssize_t word = 0;
    for (Py_ssize_t k = 0; key && k < PyTuple_GET_SIZE(method->names); k++) {
        if (method->role[k] == WORD) {
            PyObject *const one = PyList_CheckExact(given[k]) ? PyList_AsTuple(given[k])
                                                              : Py_NewRef(given[k]);
            PyTuple_SET_ITEM(key, word++, one);
        }
    }
    if (!key || PyErr_Occurred()) {
        Py_XDECREF(key);
        return NULL;
    }
    PyObject *found = PyDict_GetItemWithError(method->chosen, key);
    if (!found && !PyErr_Occurred() && (found = PyObject_CallObject(method->choose, key))) {
        if (PyDict_GET_SIZE(method->chosen) >= KNOWN) {
            PyDict_Clear(method->chosen);
        }
        const int kept = PyDict_SetItem(method->chosen, key, found);
        Py_DECREF(found); /* which the dictionary has */
        found = kept < 0 ? NULL : found;
    }
    Py_DECREF(key);
    return found;
}

/* What the Call that is meant gives; None where that wants a closer look. */
static PyObject *quick(Method *method, PyObject *const *given)
{
    PyObject *own[MOST + 1];
    for (int i = 0; i < method->arguments; i++) {
        own[i] = Py_None;
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(method->names); k++) {
        const int role = method->role[k];
        if (role == UNTOLD && given[k] != Py_None) {
            Py_RETURN_NONE;
        } else if (role >= 0) {
            own[role] = given[k];
        }
    }
    PyObject *const pair = meant(method, given);
    if (!pair) {
        if (!PyErr_ExceptionMatches(PyExc_Exception)) {
            return NULL;
        }
        PyErr_Clear(); /* the closer look meets it again, and says it */
    }
    if (!pair || !PyTuple_Check(pair)) {
        Py_RETURN_NONE;
    }
    Call *const call = (Call *)PyTuple_GET_ITEM(pair, 0);
    PyObject *const makes = PyTuple_GET_ITEM(pair, 1);
    if (!Py_IS_TYPE((PyObject *)call, &CallType) || call->arguments != method->arguments
        || (makes != Py_None && own[method->arguments - 1] != Py_None)) {
        Py_RETURN_NONE;
    }
    Py_INCREF(pair);
    PyObject *found = results_of(call, own);
    if (makes != Py_None && found && found != Py_None) {
        PyObject *const made = PyTuple_CheckExact(found) ? PyObject_CallObject(makes, found)
                                                         : PyObject_CallOneArg(makes, found);
        Py_SETREF(found, made);
    }
    Py_DECREF(pair);
    return found;
}

static PyObject *method_called(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Method *const method = (Method *)self;
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    PyObject *given[NAMES];
    if (count && bind(method, args + 1, count - 1, names, given)) {
        PyObject *const found = quick(method, given);
        if (found != Py_None) {
            return found;
        }
        Py_DECREF(found);
    }
    return PyObject_Vectorcall(method->closer, args, count, names);
}

static PyObject *method_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    Method *const method = (Method *)type->tp_alloc(type, 0);
    PyObject *roles;
    if (!method) {
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O!O!O!nniOO", &PyTuple_Type, &method->names, &PyTuple_Type, &roles,
                          &PyTuple_Type, &method->defaults, &method->required, &method->positional,
                          &method->arguments, &method->choose, &method->closer)) {
        method->names = method->defaults = method->choose = method->closer = NULL; /* borrowed */
        Py_DECREF(method);
        return NULL;
    }
    method->vectorcall = method_called;
    Py_INCREF(method->names);
    Py_INCREF(method->defaults);
    Py_INCREF(method->choose);
    Py_INCREF(method->closer);
    const Py_ssize_t count = PyTuple_GET_SIZE(method->names);
    int right = count <= NAMES && PyTuple_GET_SIZE(roles) == count
        && PyTuple_GET_SIZE(method->defaults) == count && method->positional <= count
        && method->arguments > 0 && method->arguments <= MOST + 1;
    for (Py_ssize_t k = 0; right && k < count; k++) {
        const long role = PyLong_AsLong(PyTuple_GET_ITEM(roles, k));
        method->role[k] = (int)role;
        method->words += role == WORD;
        right = role >= UNTOLD && role < method->arguments && !PyErr_Occurred();
    }
    method->chosen = PyDict_New();
    if (!right || !method->chosen) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "the parameters of a method contradict each other");
        }
        Py_DECREF(method);
        return NULL;
    }
    return (PyObject *)method;
}

static int method_traverse(PyObject *self, visitproc visit, void *arg)
{
    Method *const method = (Method *)self;
    Py_VISIT(method->attributes);
    Py_VISIT(method->defaults);
    Py_VISIT(method->choose);
    Py_VISIT(method->closer);
    Py_VISIT(method->chosen);
    return 0;
}

static int method_clear(PyObject *self)
{
    Method *const method = (Method *)self;
    Py_CLEAR(method->attributes);
    Py_CLEAR(method->names);
    Py_CLEAR(method->defaults);
    Py_CLEAR(method->choose);
    Py_CLEAR(method->closer);
    Py_CLEAR(method->chosen);
    return 0;
}

static void method_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    method_clear(self);
    Py_TYPE(self)->tp_free(self);
}

static PyGetSetDef method_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject MethodType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "mstmm_door.Method",
    .tp_doc = "A method of solvers: the Call that its words mean, or a closer look.",
    .tp_basicsize = sizeof(Method),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
    .tp_vectorcall_offset = offsetof(Method, vectorcall),
    .tp_dictoffset = offsetof(Method, attributes),
    .tp_getset = method_attributes,
    .tp_call = PyVectorcall_Call,
    .tp_new = method_new,
    .tp_traverse = method_traverse,
    .tp_clear = method_clear,
    .tp_dealloc = method_dealloc,
};

/* The right-hand side of a motion, int rhs(double t, const double *y, double *dydt, void *data). */
typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    int (*function)(double, const double *, double *, void *);
    void *data;
    Py_ssize_t size;
    char busy;
    Watch watch;
    PyObject *kept;
} Rhs;

static PyObject *rhs_called(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Rhs *const rhs = (Rhs *)self;
    if (PyVectorcall_NARGS(flags) != 2 || names) {
        PyErr_SetString(PyExc_TypeError, "takes t and y");
        return NULL;
    }
    PyArrayObject *const y = (PyArrayObject *)args[1];
    if (!PyFloat_Check(args[0]) || !fits(args[1]) || PyArray_NDIM(y) != 1
        || PyArray_DIM(y, 0) != rhs->size) {
        Py_RETURN_NONE;
    }
    PyObject *const dydt = PyArray_SimpleNew(1, PyArray_DIMS(y), NPY_DOUBLE);
    if (!dydt) {
        return NULL;
    }
    if (!__atomic_exchange_n(&rhs->busy, 1, __ATOMIC_ACQUIRE)) {
        char *const work = *(char **)rhs->data; /* its first member */
        forget(&rhs->watch, work);
        int status = rhs->function(PyFloat_AS_DOUBLE(args[0]), PyArray_DATA(y),
                                   PyArray_DATA((PyArrayObject *)dydt), rhs->data);
        status |= !regular(&rhs->watch, work, 1);
        __atomic_store_n(&rhs->busy, 0, __ATOMIC_RELEASE);
        if (status == 0) {
            return dydt;
        }
    }
    Py_DECREF(dydt);
    Py_RETURN_NONE;
}

static PyObject *rhs_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    unsigned long long function, data;
    PyObject *kept, *watch;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "KKnOO", &function, &data, &size, &kept, &watch)) {
        return NULL;
    }
    Rhs *const rhs = (Rhs *)type->tp_alloc(type, 0);
    if (rhs) {
        rhs->vectorcall = rhs_called;
        rhs->function = (int (*)(double, const double *, double *, void *))(uintptr_t)function;
        rhs->data = (void *)(uintptr_t)data;
        rhs->size = size;
        rhs->kept = Py_NewRef(kept);
        if (!read_watch(&rhs->watch, watch)) {
            Py_DECREF(rhs);
            return NULL;
        }
    }
    return (PyObject *)rhs;
}

static void rhs_dealloc(PyObject *self)
{
    Py_XDECREF(((Rhs *)self)->kept);
    Py_XDECREF(((Rhs *)self)->watch.kept);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject RhsType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "mstmm_door.Rhs",
    .tp_doc = "The right-hand side of a motion on NumPy arrays; None where they need a closer look.",
    .tp_basicsize = sizeof(Rhs),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Rhs, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_new = rhs_new,
    .tp_dealloc = rhs_dealloc,
};

/* run_states(function, work, sizes, arrays): a single-state function on the rows of arrays. */
static PyObject *run_states(PyObject *module, PyObject *args)
{
    unsigned long long function, work;
    PyObject *sizes, *arrays;
    if (!PyArg_ParseTuple(args, "KKO!O!", &function, &work, &PyTuple_Type, &sizes, &PyTuple_Type,
                          &arrays)) {
        return NULL;
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(arrays);
    P start[MOST];
    Py_ssize_t stride[MOST], states = 0;
    if (count < 1 || count > MOST || PyTuple_GET_SIZE(sizes) != count) {
        PyErr_SetString(PyExc_ValueError, "a function takes 1 to 12 buffers");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *const given = PyTuple_GET_ITEM(arrays, i);
        PyArrayObject *const array = (PyArrayObject *)given;
        stride[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(sizes, i));
        if (!fits(given) || PyArray_NDIM(array) != 2 || PyArray_DIM(array, 1) != stride[i]
            || (i && PyArray_DIM(array, 0) != states)) {
            PyErr_Format(PyExc_ValueError, "buffer %zd has not the function's shape", i);
            return NULL;
        }
        states = PyArray_DIM(array, 0);
        start[i] = PyArray_DATA(array);
    }
    PyThreadState *const state = PyEval_SaveThread();
    const int status = run((void *)(uintptr_t)function, 0, (int)count, states, start, stride,
                           (void *)(uintptr_t)work);
    PyEval_RestoreThread(state);
    return PyLong_FromLong(status);
}

static PyMethodDef methods[] = {
    {"run_states", run_states, METH_VARARGS, "A single-state function on the rows of arrays."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "mstmm_door",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit_mstmm_door(void)
{
    import_array();
    if (PyType_Ready(&CallType) < 0 || PyType_Ready(&MethodType) < 0 || PyType_Ready(&RhsType) < 0) {
        return NULL;
    }
    PyObject *const module = PyModule_Create(&definition);
    if (module && (PyModule_AddObjectRef(module, "Call", (PyObject *)&CallType) < 0
        || PyModule_AddObjectRef(module, "Method", (PyObject *)&MethodType) < 0
        || PyModule_AddObjectRef(module, "Rhs", (PyObject *)&RhsType) < 0)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
