"""One link's part of inverse dynamics in the four representations of the screw paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...runtime.derived import Derived, derive
from ...runtime.performed import Performed
from ...symbolic.language.program import Let, Port
from ...symbolic.methods.inverse.places import Representation
from .. import legend
from ..documents.document import Block, Cell, Letters, Lines, Numbers, Prose, Table
from ..judging.checks import values_of
from ..state import State

#: The steps that differ, as every program calls them, in words.
STEPS: Mapping[str, str] = {
    "outward": "Its motion, from its parent's",
    "inward": "Its wrench, with those of what hangs on it, and this moved to its parent",
    "needed": "The force needed in its hinge",
}
ENTRY = "inverse_loads"


def shown_for(derived: Derived) -> bool:
    """Whether the derivation is of one of the four, of a model that all of them take."""
    name = derived.algorithm.name
    return name in {f"rnea-{each}" for each in Representation} and not derived.model.beams


def representations(derived: Derived, state: State) -> Iterator[Block]:
    """The same step at one link in each representation: a table for each step.

    Source
        Screw paper: (67), (68) body-fixed, (69)-(72) spatial, (73), (76), (77) hybrid, (57), (58)
        mixed.
    """
    link = _link(derived)
    yield Prose(
        "A twist and a wrench may be taken in the link's axes about its own origin (body-fixed), "
        "in inertial axes about the inertial origin (spatial), in inertial axes about the link's "
        "origin (hybrid), or with moments in the link's and forces in inertial axes (mixed). The "
        f"forces in the hinges are the same. Here is link {link} in all four."
    )
    done = {each: _done(derived, state, each, link) for each in Representation}
    for step, words in STEPS.items():
        yield Prose(f"{words}:", "head")
        head = ("representation", "formulas", "gives", "at this state", "from")
        yield Table(head, tuple(_row(each, done[each].get(step, ())) for each in Representation))


def _link(derived: Derived) -> str:
    """A body with a parent and a child, if there is one: there every term is seen."""
    links = [derived.plan.link(body.name) for body in derived.model.bodies]
    between = (x.name for x in links if x.parent is not None and x.children)
    return next(between, links[0].name)


def _done(
    derived: Derived, state: State, of: Representation, link: str
) -> dict[str, list[Performed]]:
    """The calls at a link by their steps."""
    own = f"rnea-{of}"
    other = derived if derived.algorithm.name == own else derive(derived.model, algorithm=own)
    found: dict[str, list[Performed]] = {}
    for each in values_of(other, state).performed(ENTRY):
        if isinstance(each, Performed) and each.call.member == link:
            found.setdefault(each.step.name, []).append(each)
    return found


def _row(of: Representation, calls: Sequence[Performed]) -> tuple[Cell, ...]:
    statements = [x for each in calls for x in each.call.kernel.statements]
    said = tuple(x.says for x in statements if isinstance(x, Let) and x.says)
    sources = dict.fromkeys(x.source for x in statements if x.source != "own")
    name: Cell = ""
    numbers: Cell = ""
    columns = [(x, port) for x in calls for port in _columns(x)]
    if columns:
        each, port = max(reversed(columns), key=lambda found: found[1].rows)  # last of the longest
        letter = legend.line_of(port.name, each.call.kernel)
        name = Letters(letter.letter if letter else port.name)
        numbers = Numbers.of(each.statements[port.name])
    return str(of), Lines(said), name, numbers, "; ".join(sources)


def _columns(each: Performed) -> list[Port]:
    return [port for port in each.call.kernel.outputs if port.cols == 1]
