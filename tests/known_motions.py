"""Compiled models whose motions are known, in every target, each compiled once."""

from __future__ import annotations

from functools import cache
from math import pi
from pathlib import Path
from typing import Any

import mpmath
import pytest
from compiler import TARGET, needs_compiler

import mstmm
from mstmm.model.files.toml import from_text
from mstmm.runtime.solver import Solver

EXAMPLES = Path(__file__).parents[1] / "examples"

ALL_TARGETS = (
    pytest.param("c", marks=needs_compiler),
    pytest.param("c-batch", marks=needs_compiler),
    pytest.param("numpy"),
)
ALL = pytest.mark.parametrize("target", ALL_TARGETS)

SLIDER = """
name = "slider"
dimension = 2
gravity = [0, 0]
[bodies.A]
mass = 2
inertia = 0.3
points.a = {{}}
[hinges.m]
kind = "prismatic"
parent = "ground"
child = "A:a"
force = "{force}"
[start.positions]
m = 1
"""

#: The pendulum's angle from the rest, and its rate there for small motions, squared.
START = 2.0
SQUARE = 1.5 * 9.81


@cache
def compiled(name: str, target: str = TARGET) -> Solver:
    return mstmm.compile(str(EXAMPLES / name) if name.endswith(".toml") else name, target=target)


@cache
def slider(force: str, target: str = TARGET) -> Solver:
    return mstmm.compile(from_text(SLIDER.format(force=force)), target=target)


def pendulum(target: str = TARGET) -> Solver:
    return compiled("rod-chain:n=1", target)


def swing(target: str = TARGET, **options: Any) -> Any:
    return pendulum(target).simulate([START + pi / 2], [0.0], **options)


def quarter() -> float:
    """The time from rest at START to the lowest point."""
    with mpmath.workdps(30):
        return float(mpmath.ellipk(mpmath.sin(START / 2) ** 2) / mpmath.sqrt(SQUARE))
