"""What the overall transfer equation is of small motions about rest, and what it says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...errors import UsageError
from ...model import Beam, Model
from ...model.expressions.quantities import shorten
from ...symbolic.plans.deduction import OverallEquation, deduce
from ..documents.document import Block, Items, Prose, Table
from ..overallgrid import of_displacements

#: The same of small motions.
OF_SMALL = (
    "Rows and columns of a state are r, θ, m, q, 1: a displacement and a turn in place of "
    "accelerations, which are −ω² times these. Inertial axes; from I_1 lead r_IO to the output "
    "end, r_IC to the centre of mass and r_I1I2 to a further input (in plain text o, c and i2), of "
    "a hinge d from its input to its output end; J about I_1; κ is the stiffness of a hinge’s "
    "springs and laws. A "
    "beam’s U is exp(G l), see the page of the whole derivation."
)


def of_small_motions(equation: OverallEquation) -> OverallEquation:
    """The same of small motions about rest: beams are exact there, without shape functions.

    Raises
        UsageError: a force between points, whose stiffness stands in no matrix of an element.
    """
    model = equation.transfer.model
    if model.forces:
        raise UsageError(
            f"{model.name}: force {model.forces[0].name} acts between points; its stiffness is in "
            "no matrix of --overall; mstmm derive MODEL --algorithm linear --output FILE shows it"
        )
    exact = (replace(x, axial=0, bending=0) if isinstance(x, Beam) else x for x in model.bodies)
    modes = sum(beam.modes for beam in model.beams)
    q0, v0 = (x[: len(x) - modes] for x in (model.q0, model.v0))
    return deduce(replace(model, bodies=tuple(exact), q0=q0, v0=v0)) if modes else equation


def of_displacement_blocks(block: Block) -> Block:
    """What is said of accelerations, said of displacements."""
    match block:
        case Prose():
            return replace(block, text=of_displacements(block.text))
        case Items():
            return replace(block, texts=tuple(map(of_displacements, block.texts)))
        case Table():
            rows = (
                tuple(of_displacements(x) if isinstance(x, str) else x for x in row)
                for row in block.rows
            )
            return replace(block, rows=tuple(rows))
    return block


def frequencies(model: Model) -> Iterator[Block]:
    left = f" of {model.name} without {shorten(loads)}" if (loads := [*_at_rest(model)]) else ""
    yield Prose(
        "Without loads at rest this is homogeneous: with the columns of what is known left out, "
        "and with the rows of hinges, det U_all(ω) = 0 at the natural frequencies"
        f"{left} and nowhere else."
    )
    if model.conditioned:
        yield Prose(
            "Where conditions of closed loops follow from others, as of a planar loop in space, it "
            "is zero everywhere: mstmm modes leaves those conditions out."
        )
    if left:
        yield Prose(
            "Loads at rest make hinges stiffer or softer, as weight does in a pendulum: mstmm "
            "modes has them, these matrices have not."
        )
    yield Prose(
        "Products of many U lose their digits, and a determinant that is looked at here and there "
        "shows no two roots that lie together: mstmm modes eliminates element by element instead, "
        "and counts. The product of its pivots is this determinant, up to "
        + ("a factor without zeros" if model.beams else "its sign")
        + "; mstmm derive MODEL --algorithm linear draws it."
    )


def _at_rest(model: Model) -> Iterator[str]:
    """What loads a model where it rests, but for springs that are strained there."""
    if any(x != 0 for x in model.gravity):
        yield "its weight"
    yield from (f"load {load.name}" for load in model.loads)
    yield from (f"the tension of beam {x.name}" for x in model.beams if x.tension != 0)
