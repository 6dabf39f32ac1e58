"""What kernels may ask of a link, and how it is answered from a tree in joint coordinates."""

from __future__ import annotations

from collections.abc import Mapping

from ..mechanics.traced import Facts

#: Values of what a link, or a part of a beam, moves relative to, by the name of the array.
PARENTS: Mapping[str, str] = {"Ap": "A", "xp": "x", "vp": "vl", "wp": "w", "ap": "acc", "Bp": "B"}

FACTS: Facts = {
    "dimension": lambda tree, _: tree.dimension,
    "count": lambda tree, link: tree.count(link),
    "freedom": lambda tree, link: tree.freedom(link),
    "input_count": lambda _, link: len(link.inputs),
    "push_count": lambda tree, link: len(tree.pushes(link)),
    "loaded": lambda tree, _: tree.loaded,
    "acting": lambda tree, link: tree.acting(link),
    "pushed": lambda tree, link: tree.pushed(link),
    "rotor": lambda tree, link: tree.rotor(link) is not None,
    "way": lambda tree, link: tree.turn(link),
    "cuts": lambda tree, link: tree.loops.holding(link)[0],
    "couplings": lambda tree, link: sum(x.startswith("mu_") for x in tree.loops.coupling(link)),
    "projected": lambda tree, _: tree.of != "body",
    "kind": lambda tree, link: tree.attachment(link).hinge.kind,
    "backward": lambda tree, link: tree.attachment(link).backward,
}
