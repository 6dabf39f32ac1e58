"""What a model becomes before any number: root, transfer directions, subchains, order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ...errors import DerivationError
from ...model import GROUND, Beam, Body, End, Hinge, Mimic, Model
from ...model.columns import rows
from ...model.expressions.quantities import told
from ...model.topology import open_columns
from ...shown import Shown


@dataclass(frozen=True)
class Link:
    """A body in the transfer direction, with the hinge at its output.

    `inputs` are the points where other bodies hang, in the order of the body's points, and
    `children` those bodies (the same order); `free` are the points where nothing hangs.
    `parent` is the body at the other side of the output hinge, `None` for the ground, and `entry`
    the point there.
    """

    name: str
    body: Body | Beam
    output: str
    hinge: str
    inputs: tuple[str, ...]
    children: tuple[str, ...]
    free: tuple[str, ...]
    parent: str | None
    entry: str

    @property
    def rigid(self) -> Body:
        """The body, if it is a rigid one.

        Raises
            DerivationError: it is a beam.
        """
        if isinstance(self.body, Beam):
            raise DerivationError(
                f"beam {self.name}: only the equations of rigid bodies are composed; a beam's own "
                "are in mstmm.symbolic.mechanics.beams"
            )
        return self.body


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Shown):
    """The transfer order of a tree: from the tips to the root, subchain by subchain.

    A subchain is a maximal run of bodies with at most one input, tip side first; a body with
    several inputs (MISO) stands for itself. `links` are in sweep order: every body after the
    bodies that hang on it. A root is an end that is hinged to the ground; `cuts` are the
    hinges that close the loops of the tree.
    """

    model: Model
    links: tuple[Link, ...]
    cuts: tuple[Hinge, ...] = ()

    def __repr__(self) -> str:
        bodies = told(len(self.links), "body", "bodies")
        counts = f"{bodies} in {told(len(self.subchains), 'subchain')}"
        cuts = f", cut at {', '.join(hinge.name for hinge in self.cuts)}" if self.cuts else ""
        return f"<Plan of {self.model.name}: {counts}{cuts}>"

    @cached_property
    def subchains(self) -> tuple[tuple[str, ...], ...]:
        """The subchains by the names of their bodies, in sweep order."""
        return _subchains(self.links)

    @cached_property
    def by_name(self) -> Mapping[str, Link]:
        return {link.name: link for link in self.links}

    def link(self, body: str) -> Link:
        """The link of the body called `body` (KeyError if there is none)."""
        return self.by_name[body]

    @property
    def root(self) -> Link:
        """The last link: its output is hinged to the ground."""
        return self.links[-1]

    @property
    def roots(self) -> tuple[Link, ...]:
        """The links whose outputs are hinged to the ground, in sweep order."""
        return tuple(link for link in self.links if link.parent is None)

    @cached_property
    def outputs(self) -> Mapping[str, tuple[End, End]]:
        """For each hinge, by name, the end that it takes over from and the end it leads to.

        A cut hinge leads away from its reported end.
        """
        found = {}
        tips = {link.hinge: link.name for link in self.links}
        for hinge in self.model.hinges:
            name, (first, second) = hinge.name, hinge.ends
            tip = tips[name] if name in tips else reported(hinge)[1].body
            found[name] = hinge.ends if tip == first.body else (second, first)
        return found

    def way(self, body: str) -> tuple[str, ...]:
        """The bodies from this one to its root, both included; none from the ground."""
        found: list[str] = []
        at: str | None = None if body == GROUND else body
        while at is not None:
            found.append(at)
            at = self.link(at).parent
        return tuple(found)

    def describe(self) -> str:
        """The topology in words, one line a subchain."""
        lines = []
        for chain in self.subchains:
            link = self.link(chain[-1])
            if len(link.inputs) > 1:
                fed = ", ".join(
                    f"{point} from {self._called(child)}"
                    for point, child in zip(link.inputs, link.children, strict=True)
                )
                head = f"{self._called(link.name)} with {len(link.inputs)} inputs ({fed})"
            else:
                head = f"chain {self._path(chain)}"
            target = (
                "the ground"
                if link.parent is None
                else f"{self._called(link.parent)} at {link.entry}"
            )
            lines.append(f"{head}; output {link.output} hinged to {target}")
        for hinge in self.cuts:
            first, second = hinge.ends
            lines.append(f"cut: {hinge.kind} hinge {hinge.name} between {first} and {second}")
        lines += [said] if (said := open_columns(self.model)) else []
        lines += [
            f"coupled: hinge {hinge.name} {following(hinge.mimic)}"
            for hinge in self.model.hinges
            if hinge.mimic and hinge.name not in self.model.followers
        ]
        lines += [
            f"shared: hinge {name} moves by the coordinate of hinge {leader.hinge}"
            for name, leader in self.model.followers.items()
        ]
        return "\n".join(lines)

    def _called(self, body: str) -> str:
        return f"{self.link(body).body.kind} {body}"

    def _path(self, chain: tuple[str, ...]) -> str:
        if len(chain) == 1:
            return self._called(chain[0])
        said = [self._called(name).removeprefix("body ") for name in chain]
        return "of bodies " + " – ".join(said if len(said) <= 6 else [*said[:3], "…", *said[-2:]])


def reported(hinge: Hinge) -> tuple[int, End]:
    """The end of a cut hinge that counts as an output: the child's, or the parent's.

    The parent's if the child is the ground.
    """
    return (0, hinge.ends[0]) if hinge.ends[1].body == GROUND else (1, hinge.ends[1])


def plan(model: Model) -> Plan:
    """Choose transfer directions and order of a tree, or of the tree left when loops are cut.

    Source
        Riccati paper, Sect. 4.2, step B1; the order is a choice.
    """
    bodies = {body.name: body for body in model.bodies}
    beside: dict[str, dict[str, tuple[End, str]]] = {name: {} for name in (*bodies, GROUND)}
    pending: list[tuple[End, str, str, str | None]] = []
    for hinge in model.tree_hinges:
        name, (first, second) = hinge.name, hinge.ends
        beside[first.body][first.point] = second, name
        beside[second.body][second.point] = first, name
        if GROUND in (first.body, second.body):
            tip, root = (second, first) if first.body == GROUND else (first, second)
            pending.append((tip, name, root.point, None))
    cuts = tuple(hinge for hinge in model.hinges if hinge.name in model.cuts)
    closed = {(end.body, end.point) for hinge in cuts for end in hinge.ends}

    found = []
    while pending:
        output, by, entry, parent = pending.pop()
        name, own = output.body, output.point
        body, there = bodies[name], beside.pop(name)
        inputs, children, free = [], [], []
        for point in body.points:
            at = point.name
            if at == own:
                continue
            if at in there:
                end, hinge_name = there[at]
                inputs.append(at)
                children.append(end.body)
                pending.append((end, hinge_name, at, name))
            elif (name, at) not in closed:
                free.append(at)
        attached = tuple(inputs), tuple(children), tuple(free)
        found.append((name, body, own, by, *attached, parent, entry))
    return Plan(model, rows(Link, tuple(zip(*reversed(found), strict=True))), cuts)


def _subchains(links: tuple[Link, ...]) -> tuple[tuple[str, ...], ...]:
    chains: list[list[str]] = []
    joined = {link.name for link in links if len(link.inputs) > 1}
    for link in links:
        continues = len(link.children) == 1 and chains and chains[-1][-1] == link.children[0]
        if continues and chains[-1][0] not in joined:
            chains[-1].append(link.name)
        else:
            chains.append([link.name])
    return tuple(tuple(chain) for chain in chains)


def following(mimic: Mimic) -> str:
    """What a coupled hinge does, in words."""
    if not mimic.leaders:
        return "is held"
    several, law = "s" * (len(mimic.leaders) > 1), " by a law" * (mimic.law is not None)
    return f"follows hinge{several} {', '.join(mimic.leaders)}{law}"
