/* A Method is a method of solvers: it takes arguments by place and by name, finds the Call that
 * its words mean (the name of a frame, of a variant), and where that wants a closer look hands all
 * it was given to a function in Python.
 */

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
    PyObject *choose;         /* of words: None, or (a Call, widths of parts, what makes the result) */
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

/* Is it text, a list of it, a whole number or None? What equals them, as True does 1, is another thing. */
static int is_word(PyObject *given)
{
    return given == Py_None || PyUnicode_Check(given) || PyLong_CheckExact(given)
        || PyList_CheckExact(given) || PyTuple_CheckExact(given);
}

/* What the words mean, asked for once: borrowed, or None. NULL: they cannot be looked up. */
static PyObject *meant(Method *method, PyObject *const *given)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(method->names); k++) {
        if (method->role[k] == WORD && !is_word(given[k])) {
            return Py_None;
        }
    }
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

/* Arrays of which the last is cut along its last axis into arrays of these widths, views of it. */
static PyObject *cut(PyObject *arrays, PyObject *widths)
{
    const Py_ssize_t before = PyTuple_GET_SIZE(arrays) - 1, count = PyTuple_GET_SIZE(widths);
    PyArrayObject *const whole = (PyArrayObject *)PyTuple_GET_ITEM(arrays, before);
    const int axes = PyArray_NDIM(whole);
    char *at = PyArray_BYTES(whole);
    npy_intp shape[AXES + OWN_AXES];
    PyObject *parts = PyTuple_New(before + count);
    memcpy(shape, PyArray_DIMS(whole), axes * sizeof *shape);
    for (Py_ssize_t k = 0; parts && k < before; k++) {
        PyTuple_SET_ITEM(parts, k, Py_NewRef(PyTuple_GET_ITEM(arrays, k)));
    }
    for (Py_ssize_t k = 0; parts && k < count; k++) {
        const npy_intp width = shape[axes - 1] = PyLong_AsSsize_t(PyTuple_GET_ITEM(widths, k));
        PyObject *const part = PyArray_NewFromDescr(
            &PyArray_Type, PyArray_DescrFromType(NPY_DOUBLE), axes, shape, PyArray_STRIDES(whole), at,
            NPY_ARRAY_WRITEABLE, NULL);
        if (part && PyArray_SetBaseObject((PyArrayObject *)part, Py_NewRef(whole)) == 0) {
            PyTuple_SET_ITEM(parts, before + k, part);
            at += width * (npy_intp)sizeof(double);
        } else {
            Py_XDECREF(part);
            Py_CLEAR(parts);
        }
    }
    return parts;
}

/* A dataclass of these values, frozen as it may be, in the order of its fields. */
static PyObject *record_of(PyTypeObject *kind, PyObject *values)
{
    PyObject *const fields = PyObject_GetAttrString((PyObject *)kind, "__match_args__");
    PyObject *made = fields ? kind->tp_alloc(kind, 0) : NULL;
    for (Py_ssize_t k = 0; made && k < PyTuple_GET_SIZE(values); k++) {
        if (PyObject_GenericSetAttr(made, PyTuple_GET_ITEM(fields, k), PyTuple_GET_ITEM(values, k))) {
            Py_CLEAR(made);
        }
    }
    Py_XDECREF(fields);
    return made;
}

/* What a caller gets of the results: by a function, or a record of them. */
static PyObject *made_of(PyObject *makes, PyObject *found)
{
    if (!PyTuple_CheckExact(found)) {
        return PyObject_CallOneArg(makes, found);
    }
    return PyType_Check(makes) ? record_of((PyTypeObject *)makes, found)
                               : PyObject_CallObject(makes, found);
}

/* Can this array be copied into `out`, in whatever order that has its numbers? */
static int alike(PyObject *array, PyObject *out)
{
    PyArrayObject *const to = (PyArrayObject *)out;
    return PyArray_Check(array) && PyArray_CheckExact(out) && PyArray_TYPE(to) == NPY_DOUBLE
        && PyArray_ISBEHAVED(to) && PyArray_SAMESHAPE((PyArrayObject *)array, to);
}

/* `out`, which takes an array, or several as many; None where it does not fit. */
static PyObject *copied(PyObject *found, PyObject *out)
{
    const int several = PyTuple_CheckExact(found);
    const Py_ssize_t count = several ? PyTuple_GET_SIZE(found) : 1;
    if (several && (!PyTuple_Check(out) || PyTuple_GET_SIZE(out) != count)) {
        Py_RETURN_NONE;
    }
    for (int copies = 0; copies < 2; copies++) {
        for (Py_ssize_t k = 0; k < count; k++) {
            PyObject *const one = several ? PyTuple_GET_ITEM(found, k) : found;
            PyObject *const to = several ? PyTuple_GET_ITEM(out, k) : out;
            if (!copies && !alike(one, to)) {
                Py_RETURN_NONE;
            }
            if (copies && PyArray_CopyInto((PyArrayObject *)to, (PyArrayObject *)one) < 0) {
                return NULL;
            }
        }
    }
    return Py_NewRef(out);
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
    PyObject *const told = meant(method, given);
    if (!told) {
        if (!PyErr_ExceptionMatches(PyExc_Exception)) {
            return NULL;
        }
        PyErr_Clear(); /* the closer look meets it again, and says it */
    }
    if (!told || !PyTuple_Check(told)) {
        Py_RETURN_NONE;
    }
    Call *const call = (Call *)PyTuple_GET_ITEM(told, 0);
    PyObject *const widths = PyTuple_GET_ITEM(told, 1), *const makes = PyTuple_GET_ITEM(told, 2);
    if (!Py_IS_TYPE((PyObject *)call, &CallType) || call->arguments != method->arguments) {
        Py_RETURN_NONE;
    }
    const int record = PyType_Check(makes);
    PyObject **const last = &own[method->arguments - 1], *out = Py_None;
    if (makes != Py_None && (!record || PyTuple_GET_SIZE(widths))) { /* which is made of the arrays */
        out = *last;
        *last = Py_None;
    }
    Py_INCREF(told);
    PyObject *found = results_of(call, own);
    if (found && PyTuple_CheckExact(found) && PyTuple_GET_SIZE(widths)) {
        Py_SETREF(found, cut(found, widths));
    }
    if (found && found != Py_None && out != Py_None && record) {
        Py_SETREF(found, copied(found, out));
    }
    if (found && found != Py_None && makes != Py_None) {
        Py_SETREF(found, made_of(makes, found));
    }
    if (found && found != Py_None && out != Py_None && !record) {
        Py_SETREF(found, copied(found, out));
    }
    Py_DECREF(told);
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
