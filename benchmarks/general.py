"""A chain of revolute hinges whose every constant is a parameter: what the literature counts."""

from __future__ import annotations

import sympy as sp

from mstmm.model import Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import parameter


def general_chain(n: int) -> Model:
    """n bodies; each hinge is turned against the last about one axis and shifted along three."""
    bodies, hinges = [], []
    values: dict[str, float] = {"g": 9.81}
    zero, one = sp.Integer(0), sp.Integer(1)

    def constant(name: str, value: float) -> sp.Symbol:
        values[name] = value
        return parameter(name)

    for k in range(1, n + 1):
        m = constant(f"m{k}", 1.0 + 0.1 * k)
        centre = tuple(constant(f"c{axis}{k}", 0.05 * k) for axis in "xyz")
        J = {
            pair: constant(f"J{pair}{k}", 1.0 if pair[0] == pair[1] else 0.01 * k)
            for pair in ("xx", "yy", "zz", "xy", "xz", "yz")
        }
        inertia = (
            (J["xx"], J["xy"], J["xz"]), (J["xy"], J["yy"], J["yz"]), (J["xz"], J["yz"], J["zz"]),
        )  # fmt: skip
        c, s = constant(f"ca{k}", 0.6), constant(f"sa{k}", 0.8)
        place = tuple(constant(f"l{axis}{k}", 0.1 + 0.01 * k) for axis in "xyz")
        axes = ((one, zero, zero), (zero, c, -s), (zero, s, c))
        points = (Point("O", (zero,) * 3), Point("I", place, axes))
        bodies.append(Body(f"{k}", m, inertia, centre, points[: 1 + (k < n)]))
        parent = f"{k - 1}:I" if k > 1 else "0:O"
        hinges.append(Hinge(f"{k}", "revolute", (End.parse(parent), End.parse(f"{k}:O"))))
    for k in (n,):
        for name in (f"ca{k}", f"sa{k}", *(f"l{axis}{k}" for axis in "xyz")):
            del values[name]
    return Model(
        name="general-chain",
        dimension=3,
        bodies=tuple(bodies),
        hinges=tuple(hinges),
        gravity=(zero, zero, -parameter("g")),
        parameters=values,
        absolute=False,
    )
