"""The tree at which the recursive formulation's equations are judged, and the entries' parts."""

from __future__ import annotations

from functools import partial

from ...exact.ledger import Instant, ledger
from .letters import symbols
from .tree import JointTree

TREES = Instant("a tree of five joints", lambda: JointTree.drawn(2))

entry = partial(ledger("recursive-formulation", TREES), symbols=symbols)
