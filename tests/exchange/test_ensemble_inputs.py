"""Inputs of ensembles: each motion is that of `simulate` with the same laws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiler import needs_compiler
from sizes import covered

import mstmm
from mstmm import Feedback, Sampled, Table
from mstmm.errors import UsageError

TABLE = Table([0.0, 0.1, 0.3], [0.0, 3.0, -1.0])
GAINS = Feedback([[-3.0, 40.0, -4.0, 7.5]])
STARTS = np.linspace(-0.2, 0.3, 5)

#: The laws of both inputs, the force on the cart and the moment at the pole.
LAWS: dict[str, dict[Any, Any]] = {
    "numbers": {"u": 0.5, "pole": 0.01},
    "sampled": {"u": Sampled(GAINS, 0.01)},
    "table": {"u": TABLE, "pole": Table([0.0, 0.2], [0.1, 0.0], held=True)},
    "expressions": {"u": "-3*qcart - M*ucart", "pole": Sampled("-0.1*upole + m", 0.03)},
    "both": {("u", "pole"): ["-3*qcart", "step(t - 0.111)*0.1"]},
}
KEPT = {"q": "q", "a": "a", "loads": "loads", "given": "u"}


@covered(
    varied=["state", "parameter"],
    name=LAWS,
    target=[pytest.param("c-batch", marks=needs_compiler), pytest.param("numpy")],
)
def test_each_motion_is_that_of_a_solver(
    name: str, target: str, varied: str, tmp_path: Path
) -> None:
    """1e-12: the rounding of 200 steps. What varies besides the start is the cart's mass."""
    samples = {"qpole": STARTS} | ({"M": 1.0 + STARTS} if varied == "parameter" else {})
    made = mstmm.ensemble(
        "cart-pole",
        samples,
        to=tmp_path / "made.zarr",
        t_end=0.2,
        record=0.05,
        outputs=KEPT,
        inputs=LAWS[name],
        target=target,
        chunk=2,
    )
    assert made.failures == {}
    parameters = ["M"] if varied == "parameter" else []
    solver = mstmm.compile("cart-pole", target="numpy", parameters=parameters)
    for k in (0, 4):
        run = solver.simulate(
            [0.0, STARTS[k]],
            [0.0, 0.0],
            t_end=0.2,
            record=0.05,
            inputs=LAWS[name],
            parameters={"M": 1.0 + STARTS[k]} if parameters else None,
        )
        for kept, expected in (("q", run.q), ("a", run.a), ("given", run["u"].values)):
            scale = max(1.0, np.abs(expected).max())
            found = made.data[kept].values[k]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * scale)
        found = made.data["loads"].values[k]
        np.testing.assert_allclose(found, run.loads, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"u": lambda t, q, v: 0.0}, "input u: an ensemble takes numbers, expressions, Table"),
        ({"w": 1.0}, "there is no input 'w'"),
        ([1.0], "no mapping of names to laws"),
        ({"u": Feedback([[1.0]])}, r"gains has the shape \(1, 1\)"),
    ],
)
def test_what_is_no_input_is_refused(inputs: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        mstmm.ensemble(
            "cart-pole", {"qpole": STARTS}, to=tmp_path / "x.zarr", t_end=0.1, inputs=inputs
        )


def test_a_store_goes_on_with_its_own_inputs_only(tmp_path: Path) -> None:
    given: dict[str, Any] = {"to": tmp_path / "x.zarr", "t_end": 0.02, "target": "numpy"}
    mstmm.ensemble("cart-pole", {"qpole": STARTS}, inputs={"u": TABLE}, **given)
    other = Table([0.0, 0.1, 0.3], [0.0, 3.0, -1.5])
    with pytest.raises(UsageError, match="steered differ"):
        mstmm.ensemble("cart-pole", {"qpole": STARTS}, inputs={"u": other}, resume=True, **given)
