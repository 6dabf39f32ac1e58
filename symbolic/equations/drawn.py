"""Any numbers in place of what letters mean: an equation that holds so says nothing of them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from .indices import Indices
from .letters import Letters
from .matrices import Mat, Terms
from .trees import Define, Node
from .values import Evaluator, Values
from .worlds import World

#: What has a value of its own at an instant; of a slope it is drawn as a whole.
GIVEN = ("name", "∂", "grad")


class Drawn(Evaluator):
    """Draws each letter, and each slope, in the shape that it has in a world."""

    def __init__(
        self,
        world: World,
        letters: Letters,
        indices: Indices,
        local: Sequence[Define] = (),
        seen: dict[int, bool] | None = None,
    ) -> None:
        super().__init__(world, letters, indices, local, seen)
        self.real = Evaluator(world, letters, indices, local)

    def series(self, e: Node, env: Values, n: int) -> Terms:
        if e.op not in GIVEN or (e.op == "name" and self.local.meant(e)):
            return super().series(e, env, n)
        return [self.one(e, env, k, x) for k, x in enumerate(self.real.series(e, env, n))]

    def one(self, e: Node, env: Values, k: int, real: Mat) -> Mat:
        """A term; a rate that is zero remains so, for it may belong to a constant."""
        if k and real.zero:
            return real
        if e.op == "name":
            values = [self.index(sub, env, e.at) for subs in e.args[1:] for sub in subs]
            what: object = (e.args[0], values)
        else:
            what = (_text(e), sorted((x, env[x]) for x in e.free if x in env))
        draw = random.Random(f"{what} {k}")
        entries = [[draw.randint(-99, 99) for _ in range(real.cols)] for _ in range(real.rows)]
        return Mat.of(entries).times(Fraction(1, 7))


def _text(x: Any) -> str:
    """A tree as it is written, wherever it stands."""
    if isinstance(x, Node):
        return f"{x.op}{_text(x.args)}"
    if isinstance(x, Mapping):
        return _text(tuple(x.items()))
    return f"({' '.join(map(_text, x))})" if isinstance(x, list | tuple) else str(x)
