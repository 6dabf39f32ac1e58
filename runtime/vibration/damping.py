"""Damped modes about a place at rest: the method of solvers, and the stiffness it asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...codegen.face.announced import announced
from ...errors import NumericsError, UsageError
from ...model import Model
from ...symbolic.methods.linear.cells import farthest
from ..capabilities.tangent import place_names
from ..evaluation.arrays import Floats, shaped
from ..evaluation.arrays import count as whole
from ..evaluation.evaluator import DAMPED, Evaluator
from .coded.damped import GeneratedComplexStiffness
from .coded.resting import fewest
from .decaying import DampedModes
from .generated import MOST
from .natural import MODES
from .rest import at_rest
from .spectra.spectrum import Survey, found_about, radius_of, surveyed
from .spectra.winding import Boxes

#: Beams are in so many cells that their equations hold this much farther out than is asked: as far
#: as the corners of a square about a circle.
BEYOND = 1.6


def damped(
    code: Evaluator,
    q: npt.ArrayLike | None = None,
    *,
    count: int | None = None,
    below: float | None = None,
    box: Sequence[float] | None = None,
    prove: bool = False,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> DampedModes:
    """The modes of small damped motions about a place at rest, and that these are all.

    All eigenvalues s of e^(s t) in a region: the `count` of smallest |s| (default: 10), all with
    |s| `below` a limit, or those in a `box`: least and largest real part, least and largest
    imaginary part. Of a pair s, s* the one above the real axis is listed. Dampers, laws of speeds,
    spins and forces that follow bodies count. `q` as in `modes`.

    By the argument principle the turns of the determinant around a region, its winding number, are
    as many as there are eigenvalues inside. Regions are halved until a circle tells what is in
    each; a list that does not add up to the turns is refused. Eigenvalues that differ by less than
    10⁻⁶ of them are one that occurs twice; those whose square is below 10⁻¹³ of that of the twelfth
    pair are zero. Edges that run through an eigenvalue, or too near to one, are moved outwards by
    1 to 7 % of the region: `region` is what was looked at, and the table says that it was moved.
    With `prove` the winding number is proven in ball arithmetic (extra `proof`): edges are halved
    until every pivot of the recursion keeps off zero all along each part.

        >>> import mstmm
        >>> solver = mstmm.compile("double-pendulum", target="numpy")
        >>> solver.damped([0.0, 0.0]).frequencies.round(6).tolist()
        [3.756082, 10.194038]

    Shape
        `q` (nq); `box` (4).
    Units
        SI, rad; `below` and `box` rad/s.
    Raises
        UsageError: `q` is not at rest; more than one of `count`, `below` and `box` is given, or
            one means nothing; a beam has a loss factor and the region is no box above the real
            axis; or the model has what small motions do not have.
        NumericsError: no equilibrium is found, or what was found is not all; or how many lie
            inside is not told wherever the edges are moved.
        ToolchainError: python-flint is missing (extra `proof`), and asked for.
    Source
        The argument principle on the determinant of the Riccati recursion, which has no poles;
        modes by contour integrals (Beyn 2012); the search is own.
    """
    if sum(x is not None for x in (count, below, box)) > 1:
        raise UsageError("give one of count, below and box")
    first = whole("count", MODES if count is None else count, 1)
    limit = None if below is None else above_zero("below", below)
    edges = None if box is None else _edges(box)
    if not isinstance(prove, bool):
        raise UsageError(f"prove is True or False, not {prove!r}")
    if edges is None or edges[2] == 0:
        see_mirrored(code.model)
    rest = at_rest(code, q, t=t, parameters=parameters, algorithm=DAMPED)
    given: dict[str, Any] = {"t": t, "parameters": parameters}
    reach = None if edges is None else float(np.hypot(np.abs(edges[:2]).max(), edges[3]))
    if limit is not None or reach is not None:
        stiffness = stiffness_to(code, rest.q, limit or reach or 0.0, **given)
        survey = surveyed(stiffness)
    else:
        stiffness, survey = _with_first(code, rest.q, 2 * first, **given)
    number: int | None = None

    def told(boxes: Boxes) -> bool:
        nonlocal number
        with announced(f"proving the winding number of {code.model.name} in balls"):
            number = stiffness.proven(boxes.paths[0], mirrored=bool(boxes.mirrored[0]))
        return number is not None

    within = np.inf if box else limit or radius_of(stiffness, survey, 2 * first)
    region = within * np.array([-1.0, 1, 0, 1]) if edges is None else edges
    found = found_about(stiffness, survey, region, told if prove else None)
    found = found.only(np.abs(found.values) <= within)
    if prove and number != found.number:
        raise NumericsError(
            f"{code.model.name}: {number} eigenvalues are proven to lie in the region "
            f"{found.region}, and doubles tell {found.number}; move its edges a little"
        )
    if edges is None:
        if limit is None and found.held < (least := min(2 * first, survey.count.max())):
            raise NumericsError(
                f"{code.model.name}: of {least:.0f} eigenvalues {found.held} were found"
            )
        if limit is None and len(found.values) > first:
            size = np.abs(found.values)
            found = found.only(size <= size[first - 1] * (1 + 1e-9))
        within = limit or float(np.abs(found.values).max(initial=0.0))
    model = code.model
    return DampedModes(
        model,
        rest.q,
        found.values,
        found.multiplicity,
        found.modes[:, : stiffness.speeds],
        stiffness.moved(found.modes),
        {"speed": place_names(model)[: stiffness.speeds], "body": stiffness.ends},
        found.region,
        found.number,
        within,
        rest.origin,
        survey.zero,
        "balls" if prove else "doubles",
        edges is not None and bool((found.region != edges).any()),
    )


def above_zero(name: str, value: Any) -> float:
    """A finite frequency above 0.

    Raises
        UsageError: it is none.
    """
    found = float(shaped(name, value, ()))
    if not 0 < found < np.inf:
        raise UsageError(f"{name} = {value!r} must be a frequency above 0, in rad/s")
    return found


def _edges(box: Sequence[float]) -> Floats:
    found = shaped("box", box, (4,))
    left, right, low, high = found
    if not (np.isfinite(found).all() and left < right and 0 <= low < high):
        raise UsageError(
            f"box = {box!r} must be the least and the largest real part, then imaginary part, of "
            "which none is negative: eigenvalues below the real axis are those above it, mirrored"
        )
    return found


def see_mirrored(model: Model) -> None:
    """That eigenvalues come in pairs s, s*, by which those about the real axis are counted.

    Raises
        UsageError: a beam has a loss factor, which means something in steady oscillations alone.
    """
    for beam in model.beams:
        if beam.loss != 0:
            raise UsageError(
                f"{model.name}: with the loss factor of beam {beam.name} eigenvalues do not come "
                "in pairs s, s*, and what creeps has none; ask `damped` for those in a box above "
                "the real axis, as box = (-100, 0, 1, 1000)"
            )


def each_stiffness(code: Evaluator, q: Floats, **given: Any) -> Iterator[GeneratedComplexStiffness]:
    """The stiffness of a model; of beams in more and more cells.

    Raises
        NumericsError: so high frequencies take more cells than there can be.
    """
    if not code.model.beams:
        yield GeneratedComplexStiffness(code, q, **given)
    else:
        cells = fewest(code, given.get("parameters"))
        while cells <= MOST:
            stiffness = GeneratedComplexStiffness(code, q, **given, cells=cells)
            yield stiffness
            if stiffness.highest > 0.99 * farthest(stiffness.model):
                raise NumericsError(
                    f"{code.model.name}: eigenvalues of beams accumulate at s = −1/damping; ask "
                    f"for those with |s| below {farthest(stiffness.model) / BEYOND:.4g} rad/s"
                )
            cells *= 2
    raise NumericsError(
        f"{code.model.name}: so high frequencies take more than {MOST} cells a stretch of a beam; "
        "ask for fewer modes, or for those below a lower frequency"
    )


def stiffness_to(
    code: Evaluator, q: Floats, limit: float, **given: Any
) -> GeneratedComplexStiffness:
    """The stiffness that is right up to |s| = limit, and a little farther."""
    found = each_stiffness(code, q, **given)
    return next(x for x in found if limit * BEYOND < x.highest)


def _with_first(
    code: Evaluator, q: Floats, first: int, **given: Any
) -> tuple[GeneratedComplexStiffness, Survey]:
    """The stiffness that is right for the first eigenvalues, and where they are."""
    for stiffness in each_stiffness(code, q, **given):
        survey = surveyed(stiffness)
        if np.isinf(stiffness.highest):
            break
        near = survey.radii * BEYOND < stiffness.highest
        if (survey.count[near] >= first).any():
            break
    return stiffness, survey
