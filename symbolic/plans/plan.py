"""What a model becomes before any number: root, transfer directions, subchains, order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ...errors import DerivationError
from ...model import GROUND, Beam, Body, End, Hinge, Model


@dataclass(frozen=True)
class Link:
    """A body in the transfer direction, with the hinge at its output.

    `inputs` are the points where other bodies hang, in the order of the body's points, and
    `children` those bodies (the same order); `free` are the points where nothing hangs.
    `parent` is the body at the other side of the output hinge, `None` for the ground.
    """

    body: Body | Beam
    output: str
    hinge: str
    inputs: tuple[str, ...]
    children: tuple[str, ...]
    free: tuple[str, ...]
    parent: str | None

    @property
    def name(self) -> str:
        return self.body.name

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


@dataclass(frozen=True, eq=False)
class Plan:
    """The transfer order of a tree: from the tips to the root, subchain by subchain.

    A subchain is a maximal run of bodies with at most one input, tip side first; a body with
    several inputs (MISO) stands for itself. `links` are in sweep order: every body after the
    bodies that hang on it. A root is an end that is hinged to the ground; `cuts` are the
    hinges that close the loops of the tree.
    """

    model: Model
    links: tuple[Link, ...]
    subchains: tuple[tuple[str, ...], ...]
    cuts: tuple[Hinge, ...] = ()

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
            first, second = hinge.ends
            tip = tips[hinge.name] if hinge.name in tips else reported(hinge)[1].body
            found[hinge.name] = hinge.ends if tip == first.body else (second, first)
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
                else f"{self._called(link.parent)} at {self._entry(link)}"
            )
            lines.append(f"{head}; output {link.output} hinged to {target}")
        for hinge in self.cuts:
            first, second = hinge.ends
            lines.append(f"cut: {hinge.kind} hinge {hinge.name} between {first} and {second}")
        lines += [
            f"coupled: hinge {hinge.name} follows hinge {hinge.mimic.hinge}"
            for hinge in self.model.hinges
            if hinge.mimic
        ]
        return "\n".join(lines)

    def _called(self, body: str) -> str:
        return f"{self.link(body).body.kind} {body}"

    def _path(self, chain: tuple[str, ...]) -> str:
        if len(chain) == 1:
            return self._called(chain[0])
        said = [self._called(name).removeprefix("body ") for name in chain]
        return "of bodies " + " – ".join(said if len(said) <= 6 else [*said[:3], "…", *said[-2:]])

    def _entry(self, link: Link) -> str:
        assert link.parent is not None
        parent = self.link(link.parent)
        return parent.inputs[parent.children.index(link.name)]


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
    partner: dict[tuple[str, str], tuple[End, str]] = {}  # by body and point
    roots: list[End] = []
    for hinge in model.tree_hinges:
        first, second = hinge.ends
        partner[first.body, first.point] = (second, hinge.name)
        partner[second.body, second.point] = (first, hinge.name)
        if GROUND in (first.body, second.body):
            roots.append(second if first.body == GROUND else first)
    cuts = tuple(hinge for hinge in model.hinges if hinge.name in model.cuts)
    closed = {(end.body, end.point) for hinge in cuts for end in hinge.ends}

    bodies = {body.name: body for body in model.bodies}
    links: dict[str, Link] = {}
    pending: list[tuple[End, str | None]] = [(end, None) for end in roots]
    outward: list[str] = []
    while pending:
        output, parent = pending.pop()
        body = bodies[output.body]
        inputs, children, free = [], [], []
        for point in body.points:
            if point.name == output.point:
                continue
            at = body.name, point.name
            if at in partner:
                inputs.append(point.name)
                children.append(partner[at][0].body)
                pending.append((partner[at][0], body.name))
            elif at not in closed:
                free.append(point.name)
        links[body.name] = Link(
            body=body,
            output=output.point,
            hinge=partner[output.body, output.point][1],
            inputs=tuple(inputs),
            children=tuple(children),
            free=tuple(free),
            parent=parent,
        )
        outward.append(body.name)
    ordered = tuple(links[name] for name in reversed(outward))
    return Plan(model, ordered, _subchains(ordered), cuts)


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
