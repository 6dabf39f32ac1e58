/* Right-hand sides of motions, rows of states one by one, and the module. */

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
        status |= !regular(&rhs->watch, work);
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
