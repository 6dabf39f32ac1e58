"""What ties links beyond their hinges, as calls: forces between points and cut hinges."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ....model import GROUND
from ....model.expressions.domains import slope
from ...language.program import Call, Ref
from ...mechanics import laws
from ...mechanics.hinges import joint
from ...mechanics.traced import Traced
from ...plans.plan import reported
from ...tree.acting import symbols
from . import cut_kernels as cuts
from . import kernels
from . import sharing_kernels as sharing
from . import strain_kernels as strains
from . import tie_kernels as ties
from .closing import is_near
from .resting import Resting, curvature

#: What is counted of the links before, by the names of ports, and how it is kept of a link.
COUNTED = {"nbefore": "negative", "lbefore": "logs", "cbefore": "worst", "abefore": "phases"}


def lines_at_rest(tree: Resting) -> Iterator[Call]:
    """The springs that forces between points are, and how far their ends move along them."""
    d, named = tree.dimension, dict[object, str]()
    for force in tree.between.lines:
        law, viscous = slope(tree.between.tensions[force.name], laws.DISTANCE), tree.viscous(force)
        label = named.setdefault((law, viscous), force.name)
        kernel = ties.line.of(dimension=d, label=label, law=law, viscous=viscous)
        known = symbols(tree.model) | {"n": Ref("dir", force.name), "s": Ref("s", "")}
        known |= {name: Ref(name, force.name) for name in ("dist", "pull")}
        yield Call(
            kernel,
            force.name,
            {port.name: known[port.name] for port in kernel.inputs},
            {port.name: Ref(port.name, force.name) for port in kernel.outputs},
        )
        for side, end in zip("ab", force.ends, strict=True):
            if end.body != GROUND:
                yield Call(
                    ties.opening.of(dimension=d, second=side == "b", gauge=False),
                    force.name,
                    {
                        "A": Ref("A", end.body),
                        "r": tree.between.arm(end),
                        "Va": Ref("Va", force.name),
                    },
                    {"Jl": Ref(f"J{side}", force.name)},
                )


def lines_stretched(tree: Resting) -> Iterator[Call]:
    """The strain energy of forces between points, from the displacements of their ends."""
    for force in tree.between.lines:
        sides = [x for x in zip("ab", force.ends, strict=True) if x[1].body != GROUND]
        kernel = strains.stretched.of(
            dimension=tree.dimension, sides="".join(side for side, _ in sides)
        )
        known: dict[str, Ref] = {"ca": Ref("ca", force.name)}
        for side, end in sides:
            known |= {f"Jl_{side}": Ref(f"J{side}", force.name), f"xi_{side}": Ref("xi", end.body)}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        yield Call(kernel, force.name, reads, {"Wl": Ref("Wl", force.name)})


def cuts_stretched(tree: Resting) -> Iterator[Call]:
    """The strain energy of cut hinges, from the displacements of what they are between."""
    for hinge in filter(tree.resists, tree.open):
        tie = tree.ties[hinge.name]
        sides = [x for x in zip("ab", hinge.ends, strict=True) if x[1].body != GROUND]
        kernel = strains.stretched_cut.of(
            dimension=tree.dimension,
            sides="".join(side for side, _ in sides),
            rigid=tie.rigid,
            count=tie.soft,
        )
        known = {"kc": Ref(f"kc{tie.soft}", hinge.name)}
        for side, end in sides:
            link = tree.plan.link(end.body)
            far = tree.is_cell(link) and not is_near(link, end.point)
            known |= {f"col{side}": Ref(tie.columns(side), hinge.name)}
            known |= {f"xi_{side}": Ref("xiI" if far else "xi", end.body)}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        yield Call(kernel, hinge.name, reads, {"Wc": Ref("Wc", hinge.name)})


def cuts_at_rest(tree: Resting) -> Iterator[Call]:
    """What cut hinges tie together, how stiff they are, and what they exert at rest."""
    named: dict[object, str] = {}
    yield from (call for call in tree.loops.openings() if call.member in tree.ties)
    yield from (tree.cut_forces.measured(hinge, "cq", "cu") for hinge in tree.read)
    for hinge in tree.open:
        tie, of = tree.ties[hinge.name], joint(tree.dimension, hinge.kind)
        if not (tie.soft or tree.bears):
            continue
        known = {**tree.loops.sides(hinge), **symbols(tree.model), "s": Ref("s", "")}
        known |= {x: Ref(x, hinge.name) for x in ("cut", "lc")}
        places = tree.model.hinge_coordinates(hinge)
        known |= {x.name: Ref("cq", name) for x, name in zip(of.q, places, strict=True)}
        known |= {f"E{x}{tie.rigid}": Ref(f"E{x}{tie.rigid}", hinge.name) for x in "AB"}
        if tree.resists(hinge):
            stiff, (slopes, viscous) = tree.stiffness_in(hinge), tree.slopes(hinge)
            label = named.setdefault((stiff, slopes, viscous), hinge.name)
            kernel = kernels.stiff.of(
                dimension=tree.dimension,
                count=tie.soft,
                even=tree.even,
                label=label,
                slopes=slopes,
                viscous=viscous,
                torsion=stiff.torsion,
                turn=stiff.quaternion,
            )
            known["kap"] = Ref(f"kc{tie.soft}", hinge.name)
            reads = {port.name: known[port.name] for port in kernel.inputs}
            yield Call(kernel, hinge.name, reads, {kernel.outputs[0].name: known["kap"]})
        kernel = cuts.cut.of(
            dimension=tree.dimension,
            cut_kind=hinge.kind,
            sides="".join(x for x, end in zip("ab", hinge.ends, strict=True) if end.body != GROUND),
            side=reported(hinge)[0],
            rigid=tie.rigid,
            rates=curvature(of),
            bears=tree.bears,
            laden=tree.laden,
            sprung=tree.resists(hinge),
            even=tree.even,
        )
        kept = {f"col{side}": Ref(tie.columns(side), hinge.name) for side in "ab"}
        kept |= {"kc": Ref(f"kt{tie.soft}", hinge.name)}
        kept |= {x: Ref(x, hinge.name) for x in ("Ra", "Rb")}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        yield Call(kernel, hinge.name, reads, {x.name: kept[x.name] for x in kernel.outputs})


def reactions(tree: Resting) -> Iterator[Call]:
    """What cut hinges exert under loads, where they bear nothing at rest."""
    for hinge in tree.open:
        tie = tree.ties[hinge.name]
        side = next(x for x, end in zip("ba", tie.ends[::-1], strict=True) if end.body != GROUND)
        kernel = cuts.reacting.of(
            dimension=tree.dimension, side=side, size=tie.width, width=tree.width
        )
        known = {**tree.loops.sides(hinge), "S": tree.columns(tree.tied.index(tie))}
        known |= {"col": Ref(tie.columns(side), hinge.name), tree.exerted: Ref(tree.exerted, "")}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        yield Call(kernel, hinge.name, reads, {"lc": Ref("lc", hinge.name)})


def shared_efforts(tree: Resting) -> Iterator[Call]:
    """What hinges exert at rest along coordinates that several of them have."""
    for leader, links in tree.opened.items() if tree.model.followers else ():
        kernel = sharing.summed.of(dimension=tree.dimension, count=len(links))
        (speed,) = next(tree.model.hinge_speeds(h) for h in tree.model.hinges if h.name == leader)
        reads = {f"ef_{k}": Ref("ef", name) for k, name in enumerate(links, start=1)}
        yield Call(kernel, speed, reads, {"er_1": Ref("er", speed)})


def met(tree: Resting, of: Traced) -> Iterator[Call]:
    """A kernel of all ties, where their columns have arrived."""
    if not tree.width:
        return
    roots = [link.name for link in tree.links if link.parent is None and link.name in tree.tying]
    kernel = of.of(
        dimension=tree.dimension,
        width=tree.width,
        roots=len(roots),
        ties=tuple((tie.rigid, tie.soft) for tie in tree.tied),
        may_follow=tree.may_follow,
        even=tree.even,
        phased=tree.phased,
        shared=tuple(map(len, tree.opened.values())),
    )
    known: dict[str, Ref | sp.Matrix] = {
        f"{stem}_{k}_{tree.width}": Ref(f"{stem}{tree.width}", name)
        for k, name in enumerate(roots, start=1)
        for stem in ("Lt", "ozt")
    }
    for k, tie in enumerate(tree.tied, start=1):
        force = Ref(tie.force if tie.name in tree.sets["fed"] else "ca", tie.name)
        known |= {f"ca_{k}": force, f"kc_{k}": Ref(f"kt{tie.soft}", tie.name)}
        names = (f"{tie.name}_{j}" for j in range(1, (tie.rigid or 0) + 1))
        known |= {f"kept_{k}_{j}": Ref("kept", name) for j, name in enumerate(names, start=1)}
    for k, links in enumerate(tree.opened.values(), start=tree.width - len(tree.opened) + 1):
        known |= {f"so_{k}_{j}": Ref("size1", name) for j, name in enumerate(links, start=1)}
    for name, array in COUNTED.items():
        known[name] = Ref(array, tree.moving[-1].name) if tree.moving else sp.zeros(1, 1)
    reads = {port.name: known[port.name] for port in kernel.inputs}
    yield Call(kernel, "", reads, {port.name: Ref(port.name, "") for port in kernel.outputs})
