"""SymPy's KanesMethod on a planar chain in joint angles, then CSE, C and the compiler."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from .fresh import report, used


def main(n: int) -> None:
    begin = time.perf_counter()
    import sympy as sp
    from sympy.physics import mechanics as me

    from .building import library

    imports = time.perf_counter() - begin
    begin, before = time.perf_counter(), used()
    q, u = me.dynamicsymbols(f"q:{n}"), me.dynamicsymbols(f"u:{n}")
    N, P = me.ReferenceFrame("N"), me.Point("P")
    P.set_vel(N, 0)
    parent, hinge, spin = N, P, sp.Integer(0)
    bodies, loads = [], []
    for k in range(n):
        frame = parent.orientnew(f"A{k}", "Axis", (q[k], N.z))
        spin = spin + u[k]
        frame.set_ang_vel(N, spin * N.z)
        centre = hinge.locatenew(f"C{k}", frame.x / 2)
        centre.v2pt_theory(hinge, N, frame)
        tip = hinge.locatenew(f"T{k}", frame.x)
        tip.v2pt_theory(hinge, N, frame)
        inertia = (me.inertia(frame, 0, 0, sp.Rational(1, 12)), centre)
        bodies.append(me.RigidBody(f"B{k}", centre, frame, 1, inertia))
        loads.append((centre, -sp.Rational(981, 100) * N.y))
        parent, hinge = frame, tip
    rates = [q[k].diff() - u[k] for k in range(n)]
    method = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=rates)
    method.kanes_equations(bodies, loads)
    # the C fills mass matrix and right-hand side; solving them is left out
    plain = dict(zip([*q, *u], sp.symbols(f"Q:{n} U:{n}"), strict=True))
    system = method.mass_matrix.row_join(method.forcing).subs(plain)
    temporaries, (reduced,) = sp.cse([system])
    lines = [f"const double {name} = {sp.ccode(value)};" for name, value in temporaries]
    lines += [f"A[{k}] = {sp.ccode(value)};" for k, value in enumerate(reduced)]
    arguments = [f"const double {symbol} = x[{k}];" for k, symbol in enumerate(plain.values())]
    body = "\n    ".join([*arguments, *lines])
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kane.c"
        source.write_text(
            f"#include <math.h>\nvoid kane(const double *x, double *A)\n{{\n    {body}\n}}\n",
            encoding="utf-8",
        )
        library("kane", [source])
    report(begin, before, imports)


if __name__ == "__main__":
    main(int(sys.argv[1]))
