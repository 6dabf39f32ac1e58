"""Builds branch_pendulum.c as the extension module _branch_pendulum (cffi, API mode).

    python build_branch_pendulum.py

needs cffi, setuptools, a C compiler and Python's headers. Then:

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
    double stage_q[4], rate_q[4], sum_q[4];
    double stage_v[4], rate_v[4], sum_v[4];
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

/* Classical Runge-Kutta of order four: `steps` steps of length dt, in place. */
int branch_pendulum_rk4(double *q, double *v, double dt, long steps,
    branch_pendulum_work *w);
""")
ffibuilder.set_source(
    "_branch_pendulum",
    '#include "branch_pendulum.h"',
    sources=[str(here / "branch_pendulum.c")],
    include_dirs=[str(here)],
    extra_compile_args=["-std=c11", "-O3"],
    libraries=["m"],
)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        built = Path(ffibuilder.compile(tmpdir=scratch, verbose=True))
        print(shutil.move(built, here / built.name))
