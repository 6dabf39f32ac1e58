/* A Call holds a function of the library with the lengths of its buffers. Called with arrays that
 * fit as they are (doubles, contiguous, finite, quaternions of unit length), or with lists of
 * numbers for one state, it runs the function, on one state or on as many as the arrays hold, and
 * returns new arrays; else it returns None, and the caller looks closer in Python: makes arrays
 * that fit, or says what is wrong.
 *
 * A Call may have a guard, another Call that takes the same arguments: where one of its results is
 * larger than it may be, None is returned before the function is run. Where the function reports
 * numbers that are not finite it returns None too, and where a state is in a singular position of
 * closed loops.
 */

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

/* An input that has batch axes; 0 where those of another differ. */
static int batched(Use *use, int i, Py_ssize_t size, const npy_intp *dims, int axes)
{
    if (use->axes && (use->axes != axes || memcmp(use->batch, dims, axes * sizeof(npy_intp)))) {
        return 0;
    }
    use->axes = axes;
    memcpy(use->batch, dims, axes * sizeof(npy_intp));
    use->stride[i] = size;
    return 1;
}

/* The inputs as they are; 0 where one needs a closer look. */
static int take(const Call *call, PyObject *const *args, Use *use)
{
    double *room = NULL;
    int batches = 0, rows = 0; /* of states, of constants: not both */
    for (int i = 0; i < call->rows; i++) {
        const Buffer *const b = &call->buffers[i];
        if (b->result >= 0) {
            continue;
        }
        PyObject *const given = b->given < 0 ? Py_None : args[b->given];
        if (given == Py_None) {
            if (!b->fixed || (b->many && !batched(use, i, b->size, &b->many, 1))) {
                return 0;
            }
            rows |= b->many > 0;
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
            if (outer && !batched(use, i, b->size, PyArray_DIMS(array), outer)) {
                return 0;
            }
            batches |= outer > 0;
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
    return use->states > 0 && !(batches && rows);
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
        status |= !regular(&call->watch, work);
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
        b->many = fits(fixed) && PyArray_NDIM(array) == 2 ? PyArray_DIM(array, 0) : 0;
        const Py_ssize_t count = b->size * (b->many ? b->many : 1);
        if (!fits(fixed) || PyArray_SIZE(array) != count) {
            PyErr_SetString(PyExc_ValueError, "a constant does not fit its buffer");
            return 0;
        }
        b->fixed = malloc((count + 1) * sizeof(double));
        if (!b->fixed) {
            PyErr_NoMemory();
            return 0;
        }
        memcpy(b->fixed, PyArray_DATA(array), count * sizeof(double));
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
