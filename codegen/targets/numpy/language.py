"""How a line of NumPy looks."""

from __future__ import annotations

from ...printing.languages import Language

NUMPY = Language(
    name="numpy",
    comment=("#", ""),
    declare="",
    end="",
    functions={
        **{name: f"np.{name}" for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "tanh")},
        **{"asin": "np.arcsin", "acos": "np.arccos", "atan": "np.arctan"},
        "atan2": "np.arctan2",
        **{"fabs": "np.abs"},
    },
    step="np.heaviside({}, 1.0)",
    work="w.{name}[..., {index}]",
    buffer="{name}[..., {index}]",
    whole="",
    half="// 2",
    along="{at} + first : {at} + last",
    spread=", None",
    solver="{}",
    arrays=True,
)
