"""The trees at which the screw paper's equations are judged, and the entries' common part."""

from __future__ import annotations

from functools import partial

from ...exact.ledger import Instant, ledger
from ...exact.motion import GROUND
from .letters import symbols
from .tree import Tree

#: As deep as derivatives of third order need.
PARENTS = {1: GROUND, 2: 1, 3: 2, 4: 1}

#: A slide or a pin comes first: where a screw turns before another one different terms are there.
INSTANTS = (
    Instant("tree on a slide", lambda: Tree.drawn(4, PARENTS)),
    Instant("tree on a pin", lambda: Tree.drawn(5, PARENTS)),
)

entry = partial(ledger("screw", *INSTANTS), symbols=symbols)
