"""Builds branch_pendulum.c as the extension module _branch_pendulum (cffi, API mode).

    python build_branch_pendulum.py

needs cffi, setuptools, a C compiler and Python's headers. It builds for this very machine;
`mstmm generate --portable` writes one that builds for any of its kind. Then:

    from _branch_pendulum import ffi, lib
"""

import shutil
import tempfile
from pathlib import Path

from cffi import FFI

here = Path(__file__).resolve().parent

ffibuilder = FFI()
ffibuilder.cdef("""
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

/* accelerations of the coordinates; operations: 205 (80 additions, 2 divisions, 109 multiplications, 6 negations, 8 sines and cosines) */
int branch_pendulum_accelerations(const double *q, const double *v, double *a, branch_pendulum_work *w);

/* loads at the hinges, moment then force, on the root side by the tip side; operations: 237 (92 additions, 2 divisions, 121 multiplications, 14 negations, 8 sines and cosines) */
int branch_pendulum_joint_loads(const double *q, const double *v, double *a, double *loads, branch_pendulum_work *w);

/* accelerations and loads at every end of every element; operations: 275 (107 additions, 2 divisions, 143 multiplications, 15 negations, 8 sines and cosines) */
int branch_pendulum_end_states(const double *q, const double *v, double *a, double *za, double *zb, branch_pendulum_work *w);

/* pose of every body; operations: 28 (8 additions, 4 multiplications, 8 negations, 8 sines and cosines) */
int branch_pendulum_poses(const double *q, double *poses, branch_pendulum_work *w);

/* kinetic plus potential energy; operations: 73 (24 additions, 38 multiplications, 3 negations, 8 sines and cosines) */
int branch_pendulum_energy(const double *q, const double *v, double *energy, branch_pendulum_work *w);

/* rates of the coordinates; operations: 0 */
int branch_pendulum_rates(const double *v, double *qd, branch_pendulum_work *w);

/* Methods of integration. */
enum { BRANCH_PENDULUM_RK4, BRANCH_PENDULUM_EULER, BRANCH_PENDULUM_RKMK4, BRANCH_PENDULUM_DOPRI5 };

/* What becomes of a motion: it ends; leaves the numbers; its loops cannot be closed; needs steps
 * below rounding; goes on; ends at an event; its event functions fail. */
enum {
    BRANCH_PENDULUM_DONE, BRANCH_PENDULUM_NOT_FINITE, BRANCH_PENDULUM_OPEN, BRANCH_PENDULUM_TOO_SMALL,
    BRANCH_PENDULUM_UNDER_WAY, BRANCH_PENDULUM_STOPPED, BRANCH_PENDULUM_FAILED
};

/* The values of event functions at a state of a motion; anything but 0 ends the motion. */
typedef int (*branch_pendulum_watcher)(double t, const double *q, const double *v, double *values, void *data);

/* A motion on its way. */
typedef struct {
    /* Set by the caller before branch_pendulum_begin. Methods of fixed steps take `whole` steps dt and, if
     * it is not zero, one of length `rest`; every `stride` steps and the end are recorded. The
     * others end at `end` and record at `times`. Room is for one record more, the event's. */
    int method, events;
    double start, end, dt, rest, rtol, atol;
    long whole, stride, records, room;
    const double *times;
    double *run_q, *run_v;
    /* Events: 4 values each to work with; what is found, up to `room`. */
    branch_pendulum_watcher watcher;
    void *data;
    const int *direction, *terminal;
    double *values, *found_t, *found_q, *found_v;
    int *found_event, *found_state;
    /* Read by the caller between calls of branch_pendulum_advance, who empties `found`. */
    long found, done, recorded;
    int state;
    double t;
    double q[4];
    double v[4];
    /* The integrator's own. */
    int taken, shrunk;
    double h;
    double size;
    double error;
    double before;
    double at_t;
    double x[4];
    double at_q[4];
    double next_q[4];
    double at_v[4];
    double next_v[4];
    double k_q[7][4];
    double k_v[7][4];
    double row_q[4], row_v[4];
} branch_pendulum_motion;

/* Begins a motion from a state, records it and evaluates what the method needs. */
void branch_pendulum_begin(branch_pendulum_motion *m, const double *q, const double *v, branch_pendulum_work *w);

/* Goes on for so many steps at most, taken or not; 1 where a motion is still under way. */
int branch_pendulum_advance(branch_pendulum_motion *m, long steps, branch_pendulum_work *w);

/* What branch_pendulum_rhs works with. */
typedef struct {
    branch_pendulum_work *w;
} branch_pendulum_data;

/* dydt of y = (q, v), for integrators of others; `data` is a branch_pendulum_data of this thread's own. */
int branch_pendulum_rhs(double t, const double *y, double *dydt, void *data);
""")
ffibuilder.set_source(
    "_branch_pendulum",
    '#include "branch_pendulum.h"',
    sources=[str(here / "branch_pendulum.c")],
    include_dirs=[str(here)],
    extra_compile_args=["-std=c11", "-O3", "-ffp-contract=fast", "-march=native"],
    libraries=["m"],
)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        built = Path(ffibuilder.compile(tmpdir=scratch, verbose=True))
        print(shutil.move(built, here / built.name))
