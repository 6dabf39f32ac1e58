"""What is shipped is proven: every ready-made model, algorithm and target, as `validate` stands."""

from __future__ import annotations

import pytest
from compiler import needs_compiler

import mstmm
from mstmm.codegen.targets.registry import loadable
from mstmm.errors import CodegenError, DerivationError, ModelError, UsageError
from mstmm.model.ready.library import MODELS
from mstmm.symbolic.methods.algorithms import ALGORITHMS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "target", [pytest.param(x, marks=() if x == "numpy" else needs_compiler) for x in loadable()]
)
@pytest.mark.parametrize("algorithm", [x.name for x in ALGORITHMS if not x.alias_of])
@pytest.mark.parametrize("model", MODELS)
def test_it_is_equal_to_its_symbols(model: str, algorithm: str, target: str) -> None:
    try:
        solver = mstmm.compile(model, algorithm=algorithm, target=target)
    except (CodegenError, DerivationError, ModelError, UsageError) as refused:
        pytest.skip(str(refused))
    mstmm.validate(solver).require()
