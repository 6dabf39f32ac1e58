"""The links of a tree at rest: what kernels read of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import sympy as sp

from ....model import Force, Hinge, Model
from ....model.expressions.differentiated import jacobian
from ....model.expressions.quantities import exact_expression
from ....model.parts.forces import Load
from ...language.program import Ref
from ...language.walk import Binding, Place
from ...mechanics import laws
from ...mechanics.hinges import Joint as JointKind
from ...mechanics.hinges import joint
from ...mechanics.letters import PARENTS
from ...plans.plan import Link, Plan
from ...tree.acting import at_end
from ...tree.joint import BY_SPEED
from ...tree.walking import Finder
from .cell_links import Cells
from .closing import Closing, Tie, is_near
from .fed import Fed

#: What is read of the loads on a body besides their wrenches.
OF_LOAD = ("Kl", "sl", "sn", "sla", "slb")
#: What is known of the lines of forces between points besides: springs, directions, both ends.
OF_LINE = ("ca", "Va", "Ja", "Jb")

_OF_LOAD = re.compile(rf"({'|'.join(OF_LOAD)})_(\d+)")

_OF_CUT = re.compile(r"Rc_(\d+)")

#: Of which results by body kernels give the values, by what they call them.
BY_BODY = {"disp": "u", "mom": "P", "load": "load"}


def without_drag(model: Model) -> Model:
    """The model without media that are at rest, which exert nothing there."""
    return replace(model, forces=tuple(x for x in model.forces if len(x.ends) == 2 or x.medium))


class Resting(Cells):
    """The links of a tree at rest, with displacements from there; each cell of a beam is one."""

    of_loops = Closing
    #: Is the stiffness symmetric, as it is where loads at rest have a potential?
    even = True
    #: Are angles of pivots asked for, as of complex ones?
    phased = False

    parents: ClassVar[Mapping[str, str]] = {**PARENTS, "xip": "xi"}
    by_speed: ClassVar[Mapping[str, str]] = {
        **BY_SPEED,
        "eta": "s",
        "romom": "Ps",
        "ks": "ks",
        "er": "er",
    }

    def __init__(self, plan: Plan, forced: bool, loaded: bool | None = None) -> None:
        super().__init__(plan, forced, loaded)
        #: What closes loops as ties.
        self.open = tuple(x for x in self.loops.borne if x.name not in self.holding.values())
        self._stiffness: dict[str, laws.Stiffness] = {}
        still = {laws.STRETCHING: sp.Integer(0)}
        tensions = self.between.tensions
        self.between.tensions = {name: law.xreplace(still) for name, law in tensions.items()}
        #: What ties links beyond their hinges: forces between points, then cut hinges.
        self.tied = [
            *(
                Tie(f.name, f.ends, None, self.dimension + 1)
                for f in self.between.lines
                if not self.to_ground(f)
            ),
            *(
                Tie.of(self.dimension, hinge, self.bears or self.resists(hinge))
                for hinge in self.open
            ),
        ]
        #: Forces along hinges by the displacements of others, each a column too.
        self.fed = self.feeding()
        self.tied += [each.tie for each in self.fed]
        self.sets["fed"] = tuple(each.name for each in self.fed)
        self.ties = {tie.name: tie for tie in self.tied if tie.rigid is not None}
        self.sets["sprung"] = tuple(hinge.name for hinge in self.open if self.resists(hinge))
        of, read = self.model, self.read
        self.sets["cut coordinates"] = tuple(x for h in read for x in of.hinge_coordinates(h))
        self.sets["cut speeds"] = tuple(x for h in read for x in of.hinge_speeds(h))
        #: By leader the links that move by its coordinate, and by how much each.
        self.opened = opened(plan, self.loops.couplings)
        self._shares = {link for links in self.opened.values() for link in links}
        #: The links that are tied or share coordinates, and all from there to the ground.
        tied = [end.body for tie in self.tied for end in tie.ends]
        tied += [link for each in self.fed for link in each.links]
        self.tying = frozenset(name for x in (*tied, *self._shares) for name in plan.way(x))

    @property
    def read(self) -> list[Hinge]:
        """The cut hinges whose places are asked for: by a law, or by what they bear."""
        return [h for h in self.plan.cuts if self.loops.laws[h.name] or h.name in self.ties]

    @property
    def bears(self) -> bool:
        """May cut hinges bear loads at rest? Beside beams that bear none, they do not."""
        return bool(self.open) and (self.laden or not self.model.beams)

    @property
    def reacts(self) -> bool:
        """Is it asked for what cut hinges exert beside beams that bear nothing at rest?"""
        return bool(self.model.beams and self.plan.cuts) and self.loaded and not self.laden

    @property
    def may_follow(self) -> bool:
        """May conditions of loops follow from others? Beside beams, which bend, none does."""
        return self.bears and not self.model.beams and any(tie.rigid for tie in self.tied)

    @property
    def width(self) -> int:
        """How many columns all ties have, and shared coordinates after them."""
        return sum(tie.width for tie in self.tied) + len(self.opened)

    @property
    def exerted(self) -> str:
        """What the forces in all columns are called."""
        return f"zeta{self.width}"

    def shares(self, link: Link) -> bool:
        """Does the link's hinge move by a coordinate that others move by, too?"""
        return link.name in self._shares

    def follows(self, link: Link) -> bool:
        """Is the link's hinge one of several that have a coordinate and no other ones?"""
        return self.shares(link) and bool(self.model.followers)

    def alone(self, link: Link) -> bool:
        """Does a link have columns like no other?"""
        return bool(self.pulled(link)) or self.shares(link) or self.feeds(link)

    def turns(self, link: Link) -> sp.Matrix:
        """How far the link's hinge moves per unit of each shared coordinate, in all columns."""
        own = [links.get(link.name, sp.Integer(0)) for links in self.opened.values()]
        return sp.Matrix([[0] * (self.width - len(own)) + own])

    def feeding(self) -> list[Fed]:
        """Forces along hinges by the displacements of others."""
        return []

    def feeds(self, link: Link) -> bool:
        """Does a law read the displacement of the link's hinge elsewhere, or reads its own one?"""
        return any(link.name in x.links for x in self.fed)

    def fed_along(self, link: Link, told: bool) -> sp.Matrix:
        """Which of all columns act along the freedoms of a link's hinge, or open by them."""
        found = sp.zeros(self.freedom(link), self.width)
        first = sum(tie.width for tie in self.tied) - sum(each.width for each in self.fed)
        for each in self.fed:
            for (name, k), row in each.along(told):
                if name == link.name:
                    found[k, first : first + each.width] = sp.Matrix([row])
            first += each.width
        return found

    def to_ground(self, force: Force) -> bool:
        """Is a force from the ground a spring of the body that it pulls, and no tie?

        Not where eigenvalues are certified by pivots: those of what it does not resist would be
        lost in the rounding of its stiffness.
        """
        return False

    def springs(self, link: Link) -> tuple[int, ...]:
        """The wrenches on a link that are of forces from the ground, counted from 1."""
        own = {at_end(f, end) for f in self.between.lines for end in f.ends if self.to_ground(f)}
        names = self.applied.names.get(link.name, ())
        return tuple(k for k, name in enumerate(names, start=1) if name in own)

    def carried(self, link: Link) -> tuple[int, ...]:
        """The inputs of a link by which columns arrive, counted from 1."""
        return tuple(k for k, name in enumerate(link.children, start=1) if name in self.tying)

    def pulled(self, link: Link) -> list[tuple[int, str]]:
        """The ends of ties at a link: the number of the tie, and which end, a or b."""
        return [
            (number, side)
            for number, tie in enumerate(self.tied)
            for side, end in zip("ab", tie.ends, strict=False)
            if end.body == link.name
        ]

    def tied_near(self, link: Link) -> tuple[bool, ...]:
        """Of each end of a tie at a cell: is it at the end of the output?"""
        sides = [self.tied[number].ends["ab".index(side)] for number, side in self.pulled(link)]
        return tuple(is_near(link, end.point) for end in sides)

    def tied_far(self, link: Link) -> bool:
        """Do ties pull at the end of a cell on the tip side?"""
        if not self.is_cell(link):
            return False
        near = self.near(link)
        return not all((*self.tied_near(link), *(near[k - 1] for k in self.carried(link))))

    def pushes(self, link: Link) -> list[Place | Ref]:
        """The wrenches on a link but for those of cut hinges, which tie it."""
        return [Place("W", f"push {k}") for k in range(len(self.applied.on(link.name)))]

    def cut_at(self, link: Link) -> list[tuple[int, str]]:
        """Those of them that are cut hinges, where these bear loads at rest."""
        cut = [x for x in self.pulled(link) if self.tied[x[0]].rigid is not None]
        return cut if self.bears else []

    def cut_near(self, link: Link) -> tuple[bool, ...]:
        """Of each of them at a cell: is it at the end of the output?"""
        at = dict(zip(self.pulled(link), self.tied_near(link), strict=True))
        return tuple(at[x] for x in self.cut_at(link))

    def hangs(self, link: Link) -> bool:
        """Does anything resist at the end of a cell on the tip side?"""
        return not all((*self.near(link), *self.cut_near(link)))

    def columns(self, number: int) -> sp.Matrix:
        """The places of a tie's columns among all."""
        before, own = sum(tie.width for tie in self.tied[:number]), self.tied[number].width
        return sp.Matrix(own, self.width, lambda i, j: int(j == before + i))

    # What a rule asks of a link

    def stiffness(self, link: Link) -> laws.Stiffness:
        """How stiff the link's hinge is at rest."""
        return self.stiffness_in(self.hinge(link))

    def stiffness_in(self, hinge: Hinge) -> laws.Stiffness:
        """How stiff a hinge is at rest."""
        if hinge.name not in self._stiffness:
            self._stiffness[hinge.name] = laws.stiffness(self.dimension, hinge)
        return self._stiffness[hinge.name]

    def curvature(self, link: Link) -> tuple[sp.ImmutableMatrix, ...]:
        """∂H_i/∂q_j of the link's hinge, by i with a column for each j; of a turning one none."""
        attached = self.attachment(link)
        return curvature(joint(self.dimension, attached.hinge.kind), attached.backward)

    def spins(self, link: Link) -> bool:
        """Has the link's body an angular momentum at rest?"""
        return False

    def stiff(self, link: Link) -> bool:
        """Do laws in the link's hinge resist its motion?"""
        return self.freedom(link) > 0 and self.resists(self.hinge(link))

    def resists(self, hinge: Hinge) -> bool:
        """Do laws in a hinge resist its motion?"""
        torsion = self.stiffness_in(hinge).torsion
        return torsion != 0 or any(any(x) for x in self.slopes(hinge))

    def slopes(self, hinge: Hinge) -> tuple[sp.ImmutableMatrix, sp.ImmutableMatrix]:
        """Of the laws in a hinge but its torsional spring: by displacements, by speeds."""
        even = self.stiffness_in(hinge).even
        return even, sp.ImmutableMatrix(sp.zeros(*even.shape))

    def drag(self, load: Load) -> sp.Expr:
        """What resists the velocity of a load's point at rest."""
        return sp.Integer(0)

    def viscous(self, force: Force) -> sp.Expr:
        """How fast a tension grows with the rate of its length at rest."""
        return sp.Integer(0)

    def bent(self, link: Link) -> bool:
        """Do freedoms of the link's hinge turn each other?"""
        return bool(self.curvature(link))

    @cached_property
    def moving(self) -> list[Link]:
        """The links with pivots, tips first: whose hinges move, and cells."""
        return [x for x in self.links if self.yields(x) or self.cell_pivots(x)]

    def yields(self, link: Link) -> int:
        """The freedoms of the link's hinge that are eliminated there, none of a shared one."""
        return 0 if self.shares(link) else self.freedom(link)

    def reads(self, name: str, link: Link) -> Binding | None:
        """The frequency is the system's; what loads add is found as they are."""
        if name in ("omega2", self.exerted):
            return Ref(name, "")
        if name.startswith(("felt", "told")):
            return self.fed_along(link, name.startswith("told"))
        if name.startswith("turns"):
            return self.turns(link)
        if found := _OF_CUT.fullmatch(name):
            number, side = self.cut_at(link)[int(found[1]) - 1]
            return Ref(f"R{side}", self.tied[number].name)
        if found := _OF_LOAD.fullmatch(name):
            return Place(found[1], f"push {int(found[2]) - 1}")
        return super().reads(name, link)

    def writes(self, name: str, link: Link) -> Place | Ref | None:
        """Displacements are kept by body."""
        if name in BY_BODY:
            return Place(BY_BODY[name], "body")
        if name == "eta_1" and link.hinge in self.leaders:  # its leader tells the coordinate
            return Ref("follows", link.name)
        if name == "er_1" and self.follows(link):
            return Ref("ef", link.name)
        return super().writes(name, link)

    def finder(self, relation: str) -> Finder | None:
        """The link that moves before a link in the order."""
        if relation == "moving before":
            names = [link.name for link in self.moving]
            before = dict(zip(names[1:], names, strict=False))
            return self.set, lambda link: before.get(link.name)
        return super().finder(relation)

    def set_of(self, array: str) -> str:
        """Of what loads and lines add all that acts on bodies, or the forces."""
        known = dict.fromkeys(OF_LOAD, "applied") | dict.fromkeys(OF_LINE, "forces")
        known |= {self.exerted: "system"}
        of_cuts = [x for tie in self.tied for x in tie.arrays]
        known |= dict.fromkeys(("Ra", "Rb", *of_cuts), "cuts")
        known |= dict.fromkeys(("cf1", "cf2", "Vs", "gJa", "gJb"), "fed")
        known |= {"cq": "cut coordinates", "cu": "cut speeds"}
        return known.get(array) or super().set_of(array)

    def grounded(self, array: str) -> Ref | sp.Matrix:
        """The ground's value: it is not displaced."""
        return sp.zeros(self.space.motion, 1) if array == "xi" else super().grounded(array)


def opened(plan: Plan, couplings: Sequence[Hinge]) -> dict[str, dict[str, sp.Expr]]:
    """By leader, those that follow none, the links that move by its coordinate and by how much.

    Hinges that have no coordinates of their own are scaled already; `couplings` are of others.
    """
    one = sp.Integer(1)
    led = {name: (x.hinge, one) for name, x in plan.model.followers.items()}
    own = ((hinge.name, hinge.mimic) for hinge in couplings)
    led |= {name: (x.hinge, exact_expression(x.ratio)) for name, x in own if x}
    leading = {leader for leader, _ in led.values()} - led.keys()
    found: dict[str, dict[str, sp.Expr]] = {}
    for link in plan.links:
        name, ratio = link.hinge, one
        while name in led:
            name, times = led[name]
            ratio *= times
        if name in leading:
            found.setdefault(name, {})[link.name] = ratio
    return found


def curvature(of: JointKind, backward: bool = False) -> tuple[sp.ImmutableMatrix, ...]:
    """∂H_i/∂q_j, by i with a column for each j; none of hinges that turn in any way, or of 0."""
    if of.turning:
        return ()
    H = of.backward_subspace if backward else of.subspace
    found = tuple(
        sp.ImmutableMatrix(jacobian(H[:, i], of.q)) for i in range(H.cols if len(of.q) else 0)
    )
    return found if any(any(rates) for rates in found) else ()
