"""The study as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import middle
from .claims import claims, listed
from .figures import paired
from .measures import Line
from .plain import Beside
from .runs import METHODS, ONE_STEP
from .study import PLOTTED, STEP, Found, Settings

TITLES = {
    "riccati": "riccati",
    "dca": "DCA",
    "hdca": "HDCA",
    "hdca, re-gauged": "HDCA, re-gauged",
}


def _partial(settings: Settings) -> str:
    """A warning where not all of the study was run."""
    if settings == Settings(target=settings.target):
        return ""
    ran = ", ".join(map(str, settings.cases))
    return (
        f" **Only a part of the study was run**: case {ran}, {len(settings.tolerances)} "
        f"tolerances, {settings.t_end:g} s. What is said of all cases below is of these alone."
    )


def page(found: Found, settings: Settings, machine: str) -> str:
    heads = ("case", "method", *(f"{t:.0e}" for t in settings.tolerances))
    told = "\n".join(f"{k}. {text}" for k, text in enumerate(claims(found), start=1))
    return f"""# Divide and conquer with accelerations and with momenta

The study of the divide-and-conquer paper (its Sect. 3), repeated with this project's generated code
and extended. DCA integrates accelerations, HDCA augmented joint momenta, both on one assembly tree;
`riccati` is the project's own way to the same accelerations. *Re-gauged*, which the paper does not
know: after every accepted step p ← p + Φ_qᵀ σ, the same motion with σ = 0.

The paper's figure of the three mechanisms is not in its text, so their **geometry is assumed**
(models `hdca-case-1` to `-3`): its numbers cannot be compared one by one, its claims can. From
rest, {settings.t_end:g} s, equal absolute and relative tolerances. RK45 and RK23 are SciPy's, the
pairs of the paper's ode45 and ode23; PECE is an Adams method of variable order after Shampine and
Gordon, as ode113 is; VODE is SciPy's Adams method with functional iteration. No form is projected,
for the paper projects none. Errors are the largest at the ends of steps, with VODE every 0.01 s.

{machine}{_partial(settings)}

## What of the paper's claims holds here

{told}

Beside the claims: DCA's conditions are told in inertial axes, those of `riccati` in the axes of the
cut hinge's parent. On closed loops both are the same equations; where the integrator's error has
opened a loop they are not, and the table's line of `riccati` shows that the choice matters when
nothing is projected. Where loops are closed at every step (last table) neither drifts.

## Errors, RK45 at {PLOTTED:.0e} (its Figures 5 to 9)

{_table(ERRORS, (_error_row(x) for x in _plotted(found)))}

Energy in J, velocity in m/s and position in m: what the cut joints are open by, each link keeping
its own point. *Grows as*: exponent of the largest position error so far over time, from a tenth of
the time on. *Angles*: at the end, in rad, against a run at 1e-12 that is projected at every step.
*Mirror*: by how many rad the links' angles are not symmetric. Calls after + are those that
re-gauging adds, one a step.

![energy errors over time](energy.png)
![height and velocity of point K](point-k.png)
![velocity constraints over time](velocity.png)
![position constraints over time](position.png)

σ is the integral of the constraint forces, and p carries it:

![largest joint momentum over time](momenta.png)

## Calls of the right-hand side (its Figure 11)

{_table(heads, _call_rows(found))}

DCA / HDCA, and their ratio; above 1 HDCA is cheaper.

![ratio of calls over the tolerance](calls.png)

HDCA re-gauged, its own calls included; in brackets DCA's over them:

{_table(heads, _regauged_rows(found))}

## Where the loop is cut

The paper cuts the last pivot, which carries half of the weight: the cut's σ grows with it. Cut in
the middle of the loop, which carries little, the same at {PLOTTED:.0e}:

{_table(MIDDLE, _middle_rows(found))}

In brackets the values of the same form with the cut at the pivot. *p*: the largest joint momentum.
{_middle_verdict(found)}

`mstmm cuts hdca-case-1`, in Python `mstmm.choose_cuts(model)`, finds such cuts: it follows the
motion, takes the mean of every hinge's reaction as a vector, and of all choices that leave a tree
cuts where the sum is least. That is the middle, hinge 3, in case 1, hinge 5 in case 2, and the
middles of both boxes, 3 and 7, in case 3. `choice.model` starts from the same place so cut.

## Time (its Figure 10, Tables 1 and 2)

One right-hand side in compiled code in ns, the least of many samples (its Table 1):

{_table(("case", "riccati", "DCA", "HDCA"), _rate_rows(found))}

A run of {settings.t_end:g} s at {PLOTTED:.0e} in ms of processor time (its Table 2). The
integrators are Python's and take nearly all of it, so the ratios of times are those of calls, with
noise:

{_table(("case", "form", *METHODS), _time_rows(found))}

![ratio of times over the tolerance](times.png)

{beside(found.beside)}

## Without a choice of steps

Classical Runge–Kutta, step {STEP:g} s, {settings.long:g} s: the largest position error in m, and
the exponent that it grows with.

{_table(("case", "DCA", "", "HDCA", "", "HDCA, re-gauged", ""), _long_rows(found))}

![position errors of long runs](long.png)

## As the project runs them

`simulate(method="dopri5")` inside the generated code, {PLOTTED:.0e}, recorded every 0.1 s:

{_table(OWN, _own_rows(found))}

`python -m benchmarks.hdca --output docs/divide-and-conquer` repeats it; all runs are in `runs.csv`.
"""


ERRORS = (
    "case", "form", "calls", "energy", "velocity", "position", "grows as", "angles", "mirror",
)  # fmt: skip
MIDDLE = ("case", "method", "form", "calls", "energy", "position", "p")
PLAIN = ("case", "emitted, ns", "plain C, ns", "plain / emitted", "quartiles", "difference")
OWN = ("case", "algorithm", "after every step", "ms", "energy", "position", "angles")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def beside(pairs: Iterable[Beside]) -> str:
    """The section on the plain implementation."""
    return f"""## Beside a plain implementation in C

HDCA's right-hand side as emitted, and a plain C implementation of the same steps for any planar
model (`benchmarks/hdca/prototype`), written with the specification and not tuned: nodes are arrays
with counts, the merges loops over them. One compiler, the same flags, called in turn by one loop:
the least of many samples, and the median of the samples' ratios, each of two taken one after the
other. *Difference*: of the two results, as a part of the largest number.

{_table(PLAIN, map(_plain_row, pairs))}

`python -m benchmarks.hdca --only prototype` repeats this table."""


def _plain_row(x: Beside) -> tuple[str, ...]:
    low, high = x.spread
    return (
        str(x.case), f"{x.emitted.min() * 1e9:.0f}", f"{x.plain.min() * 1e9:.0f}",
        f"{x.ratio:.1f}", f"{low:.1f} to {high:.1f}", f"{x.difference:.0e}",
    )  # fmt: skip


def _plotted(found: Found) -> list[Line]:
    return [x for x in found.lines if (x.method, x.tolerance) == ("RK45", PLOTTED)]


def calls(line: Line) -> str:
    return f"{line.calls - line.extra} + {line.extra}" if line.extra else str(line.calls)


def _error_row(x: Line) -> tuple[str, ...]:
    values = (x.energy, x.velocity, x.position)
    return (
        str(x.case), TITLES[x.form], calls(x), *(f"{value:.1e}" for value in values),
        f"{x.growth:.1f}", f"{x.angle:.1e}", f"{x.mirror:.1e}",
    )  # fmt: skip


def _call_rows(found: Found) -> Iterable[tuple[str, ...]]:
    for case in found.cases:
        for method in METHODS:
            pairs = paired(found.lines, case, method, "hdca")
            told = (f"{a.calls} / {b.calls} = {a.calls / b.calls:.2f}" for a, b in pairs)
            yield (str(case), method, *told)


def _regauged_rows(found: Found) -> Iterable[tuple[str, ...]]:
    for case in found.cases:
        for method in ONE_STEP:
            pairs = paired(found.lines, case, method, "hdca, re-gauged")
            yield (str(case), method, *(f"{b.calls} ({a.calls / b.calls:.2f})" for a, b in pairs))


def _rate_rows(found: Found) -> Iterable[tuple[str, ...]]:
    for case in found.cases:
        times = [found.rates.get((case, name)) for name in ("riccati", "dca", "hdca")]
        yield (str(case), *("–" if x is None else f"{x * 1e9:.0f}" for x in times))


def _time_rows(found: Found) -> Iterable[tuple[str, ...]]:
    for case in found.cases:
        for name in ("dca", "hdca", "hdca, re-gauged"):
            lines = [found.at(case, name, method) for method in METHODS]
            told = ("–" if x is None else f"{x.seconds * 1e3:.1f}" for x in lines)
            yield (str(case), TITLES[name], *told)


def _long_rows(found: Found) -> Iterable[tuple[str, ...]]:
    for number, case in found.cases.items():
        exponents = found.exponents(number)
        row = [str(number)]
        for run in found.long[number]:
            row += [f"{case.errors(run).position.max():.1e}", f"{exponents[run.form.name]:.1f}"]
        yield tuple(row)


def _middle_rows(found: Found) -> Iterable[tuple[str, ...]]:
    for halved in sorted(found.middle, key=lambda x: (x.line.case, METHODS.index(x.line.method))):
        x = halved.line
        other = found.at(x.case, x.form, x.method)
        assert other
        yield (
            str(x.case), x.method, TITLES[x.form], f"{calls(x)} ({calls(other)})",
            f"{x.energy:.1e} ({other.energy:.1e})", f"{x.position:.1e} ({other.position:.1e})",
            "–" if halved.momentum is None else f"{halved.momentum:.3g}",
        )  # fmt: skip


def _middle_verdict(found: Found) -> str:
    """HDCA cut in the middle beside DCA as the paper cuts it."""
    plain = [halved.line for halved in found.middle if halved.line.form == "hdca"]

    def parts(method: str, what: str) -> str:
        pairs = [(found.at(x.case, "dca", method), x) for x in plain if x.method == method]
        return listed([getattr(a, what) / getattr(b, what) for a, b in pairs if a])

    told = "; ".join(f"{method} {parts(method, 'calls')}" for method in middle.METHODS)
    return (
        "HDCA so cut against DCA cut at the pivot, case by case: DCA's energy error over HDCA's,\n"
        f"RK45 {parts('RK45', 'energy')}; DCA's calls over HDCA's, {told}. The paper's claims of\n"
        "energy and calls depend on where the loop is cut."
    )


def _own_rows(found: Found) -> Iterable[tuple[str, ...]]:
    for x in found.own:
        values = (f"{value:.1e}" for value in (x.energy, x.position, x.angle))
        yield (str(x.case), x.algorithm, x.said, f"{x.seconds * 1e3:.1f}", *values)
