"""How many digits the overall transfer equation loses on long chains, and the Riccati method not.

    python benchmarks/accuracy.py --output docs/accuracy

Chains of equal rods in joint coordinates, one random state a length, seeded by the length. The
error is the largest of all accelerations' errors, relative to the largest acceleration. The
reference is the Riccati program in 50 digits; on short chains it is itself compared with a dense
Newton-Euler system in 50 digits. Fails if the Riccati method's error reaches 1e-10.
"""

from __future__ import annotations

import argparse
import csv
import math
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields, replace
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import mstmm
from mstmm.codegen.toolchain import find_compiler, numpy_instead
from mstmm.errors import ToolchainError
from mstmm.model import Model
from mstmm.runtime.solver import Solver
from mstmm.symbolic.language.arithmetic import digits
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

LENGTHS = (10, 20, 50, 100, 200, 500, 1000, 2000, 4000)
QUICK = 200
DIGITS = 50

#: Lengths up to which the reference is compared with the dense Newton-Euler system.
CHECKED = 50

#: What the Riccati method's error must stay below.
LIMIT = 1e-10

ROUNDING = 2.0**-53

Floats = np.ndarray


@dataclass(frozen=True)
class Row:
    """One length: errors, the overall matrix's size and condition, seconds an evaluation.

    `condition`: in the 1-norm, rows and columns scaled to a largest entry of one; `reference`:
    the relative difference of both references, none for long chains.
    """

    rods: int
    unknowns: int
    condition: float
    riccati_error: float
    overall_error: float
    riccati_digits_lost: float
    overall_digits_lost: float
    riccati_seconds: float
    overall_seconds: float
    reference: float | None


def chain(rods: int) -> Model:
    """The ready-made chain of equal rods, in joint coordinates."""
    return replace(mstmm.load("rod-chain", n=rods), absolute=False, q0=(), v0=())


def state(rods: int) -> tuple[Floats, Floats]:
    """Angles anywhere, speeds up to 1 rad/s."""
    random = np.random.default_rng(rods)
    return random.uniform(-math.pi, math.pi, rods), random.uniform(-1.0, 1.0, rods)


def extended(values: Floats) -> list[mpmath.mpf]:
    return [mpmath.mpf(float(x)) for x in values]


def riccati_in_digits(model: Model, q: Floats, v: Floats) -> list[mpmath.mpf]:
    """The accelerations from the Riccati program, its kernels evaluated in 50 digits."""
    interpreter = Interpreter(joint_program(plan(model)), digits(DIGITS))
    return interpreter.results("accelerations", {"q": extended(q), "v": extended(v)})["a"]


def newton_euler(model: Model, q: Floats, v: Floats) -> list[mpmath.mpf]:
    """The accelerations from the balances of every rod and the conditions of every pin.

    Unknowns of a rod: acceleration of its centre, angular acceleration, force at its output.
    """
    m, a, g = (
        mpmath.mpf(Fraction(model.parameters[name]).numerator)
        / Fraction(model.parameters[name]).denominator
        for name in "mag"
    )
    inertia = m * a**2 / 3
    angles, spins = absolute(extended(q)), absolute(extended(v))
    n = len(angles)
    rows: list[list[mpmath.mpf]] = []

    def row(right: mpmath.mpf, *terms: tuple[int, int, mpmath.mpf]) -> None:
        entries = [mpmath.mpf(0)] * (5 * n + 1)
        for rod, component, value in terms:
            if 0 <= rod < n:
                entries[5 * rod + component] = value
        entries[-1] = right
        rows.append(entries)

    x, y, turn, fx, fy = range(5)
    one = mpmath.mpf(1)
    for k, (angle, spin) in enumerate(zip(angles, spins, strict=True)):
        c, s = a * mpmath.cos(angle), a * mpmath.sin(angle)
        row(mpmath.mpf(0), (k, x, m), (k, fx, -one), (k - 1, fx, one))
        row(-m * g, (k, y, m), (k, fy, -one), (k - 1, fy, one))
        row(
            mpmath.mpf(0),
            (k, turn, inertia),
            *((k, fx, s), (k, fy, -c), (k - 1, fx, s), (k - 1, fy, -c)),
        )
        after = k + 1 < n
        C = a * mpmath.cos(angles[k + 1]) if after else mpmath.mpf(0)
        S = a * mpmath.sin(angles[k + 1]) if after else mpmath.mpf(0)
        square = spins[k + 1] ** 2 if after else mpmath.mpf(0)
        there = [(k + 1, x, -one), (k + 1, turn, -S)]
        row(c * spin**2 + C * square, (k, x, one), (k, turn, -s), *there)
        there = [(k + 1, y, -one), (k + 1, turn, C)]
        row(s * spin**2 + S * square, (k, y, one), (k, turn, c), *there)
    solution = eliminated(rows)
    return relative([solution[5 * k + turn] for k in range(n)])


def absolute(joint: Sequence[mpmath.mpf]) -> list[mpmath.mpf]:
    """A rod's angle from those of the hinges: the next one's less its own, ground last."""
    found = [-joint[-1]]
    for value in reversed(joint[:-1]):
        found.append(found[-1] - value)
    return found[::-1]


def relative(values: Sequence[mpmath.mpf]) -> list[mpmath.mpf]:
    """The inverse of `absolute`."""
    return [b - a for a, b in zip(values, [*values[1:], mpmath.mpf(0)], strict=True)]


def eliminated(rows: list[list[mpmath.mpf]]) -> list[mpmath.mpf]:
    """Gaussian elimination with row exchange; the last column is the right-hand side."""
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, n):
            if rows[i][k]:
                factor = rows[i][k] / rows[k][k]
                pairs = zip(rows[i], rows[k], strict=True)
                rows[i] = [p - factor * q if q else p for p, q in pairs]
    solution: list[mpmath.mpf] = [mpmath.mpf(0)] * n
    for k in reversed(range(n)):
        known = sum(rows[k][j] * solution[j] for j in range(k + 1, n) if rows[k][j])
        solution[k] = (rows[k][-1] - known) / rows[k][k]
    return solution


def error(found: Sequence[float], reference: Sequence[mpmath.mpf]) -> float:
    """The largest difference, relative to the largest reference."""
    largest = max(map(abs, reference))
    return float(max(abs(a - b) for a, b in zip(found, reference, strict=True)) / largest)


def condition(matrix: Floats) -> float:
    """In the 1-norm, rows then columns scaled by powers of two as they are to be solved."""
    scaled = matrix * np.ldexp(1.0, -np.frexp(np.abs(matrix).max(axis=1))[1])[:, None]
    scaled *= np.ldexp(1.0, -np.frexp(np.abs(scaled).max(axis=0))[1])
    return float(np.linalg.cond(scaled, 1))


def seconds(evaluate: Callable[[], object]) -> float:
    """The least of some evaluations: as many as fit into a fifth of a second, at most 50."""
    times: list[float] = []
    while not times or (len(times) < 50 and sum(times) < 0.2):
        begin = time.perf_counter()
        evaluate()
        times.append(time.perf_counter() - begin)
    return min(times)


def measure(rods: int, target: str, say: Callable[[str], None]) -> Row:
    """One line of the table."""
    model, (q, v) = chain(rods), state(rods)

    def compiled(algorithm: str) -> tuple[Solver, Floats, float]:
        say(f"{rods} rods: generating {algorithm}")
        solver = mstmm.compile(model, algorithm=algorithm, target=target)
        say(f"{rods} rods: evaluating {algorithm}")
        found = solver.accelerations(q, v)
        return solver, found, seconds(lambda: solver.accelerations(q, v))

    with mpmath.workdps(DIGITS):
        say(f"{rods} rods: reference in {DIGITS} digits")
        reference = riccati_in_digits(model, q, v)
        other = newton_euler(model, q, v) if rods <= CHECKED else None
        _, riccati, riccati_time = compiled("riccati")
        overall_solver, overall, overall_time = compiled("overall")
        errors = [error(list(found), reference) for found in (riccati, overall)]
        say(f"{rods} rods: condition")
        matrix, _ = overall_solver.overall_equation(q, v)
        return Row(
            rods=rods,
            unknowns=len(overall_solver.unknowns),
            condition=condition(matrix),
            riccati_error=errors[0],
            overall_error=errors[1],
            riccati_digits_lost=lost(errors[0]),
            overall_digits_lost=lost(errors[1]),
            riccati_seconds=riccati_time,
            overall_seconds=overall_time,
            reference=None if other is None else error(other, reference),
        )


def lost(relative_error: float) -> float:
    """Decimal digits lost, of the 16 that a double has."""
    return max(0.0, math.log10(relative_error / ROUNDING)) if relative_error else 0.0


def shown(rows: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in (
        "rods", "error\nriccati", "error\noverall", "digits\nlost", "digits\nlost",
        "unknowns", "condition", "time\nriccati", "time\noverall",
    ):  # fmt: skip
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*texts(row))
    return table


def texts(row: Row) -> tuple[str, ...]:
    return (
        str(row.rods),
        f"{row.riccati_error:.1e}",
        f"{row.overall_error:.1e}",
        f"{row.riccati_digits_lost:.1f}",
        f"{row.overall_digits_lost:.1f}",
        str(row.unknowns),
        f"{row.condition:.1e}",
        clock(row.riccati_seconds),
        clock(row.overall_seconds),
    )


def clock(duration: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if duration >= size:
            return f"{duration / size:.3g} {unit}"
    return f"{duration * 1e6:.3g} µs"


def save(folder: Path, rows: Sequence[Row], target: str) -> None:
    """The table as CSV and text, and the plot."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "accuracy.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Row))
        writer.writerows(["" if x is None else x for x in astuple(row)] for row in rows)
    (folder / "README.md").write_text(page(rows, target), encoding="utf-8")
    plot(rows, folder / "accuracy.png")


def page(rows: Sequence[Row], target: str) -> str:
    """What was measured and on what, as Markdown."""
    heads = (
        "rods", "error, riccati", "error, overall", "digits lost, riccati", "digits lost, overall",
        "unknowns", "condition", "time, riccati", "time, overall",
    )  # fmt: skip
    lines = ["| " + " | ".join(heads) + " |", "|" + " ---: |" * len(heads)]
    lines += ["| " + " | ".join(texts(row)) + " |" for row in rows]
    checked = [row for row in rows if row.reference is not None]
    worst = max((row.reference or 0.0 for row in checked), default=0.0)
    lengths = ", ".join(str(row.rods) for row in checked)
    return f"""# Accuracy on long chains

Chains of equal rods in joint coordinates, a random state each: the largest error of the
accelerations relative to the largest of them, against the Riccati program in {DIGITS} digits.
With {lengths} rods that reference agrees with a dense Newton–Euler system in {DIGITS} digits to
{worst:.0e}. The condition is that of the overall transfer equation's matrix, in the 1-norm, rows
and columns scaled to a largest entry of one.

![error over the number of rods](accuracy.png)

{chr(10).join(lines)}

Target {target}; {machine()}. Times are those of one evaluation of the accelerations from Python,
which itself takes some 20 µs, the least of several. `python benchmarks/accuracy.py` repeats it;
the numbers are in `accuracy.csv`.
"""


def machine() -> str:
    """Processor and compiler, without any path."""
    processor = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        named = [x for x in info.read_text().splitlines() if x.startswith("model name")]
        processor = named[0].partition(":")[2].strip() if named else processor
    try:
        said = find_compiler().identity.splitlines()
        compiler = next((line for line in said if line and "/" not in line), "a C compiler")
    except ToolchainError:
        compiler = "no compiler"
    return f"{processor}; {compiler}"


def plot(rows: Sequence[Row], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    rods = [row.rods for row in rows]
    figure, axes = pyplot.subplots(figsize=(6.4, 4.2), constrained_layout=True)
    axes.loglog(rods, [row.overall_error for row in rows], "o-", color="C3", label="overall")
    axes.loglog(rods, [row.riccati_error for row in rows], "s-", color="C0", label="riccati")
    estimate = [row.condition * ROUNDING for row in rows]
    axes.loglog(rods, estimate, ":", color="C3", alpha=0.7, label="condition × rounding")
    axes.axhline(ROUNDING, color="0.5", linewidth=1)
    axes.annotate("rounding, 1.1e-16", (rods[-1], ROUNDING), (0, 3), ha="right", fontsize=8,
                  textcoords="offset points", color="0.4")  # fmt: skip
    axes.set_title("single evaluations: no integrator", fontsize=9, color="0.4")
    axes.set_xlabel("rods")
    axes.set_ylabel("relative error of the accelerations")
    axes.set_ylim(1e-17, 1)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(loc="upper left")
    figure.savefig(path, dpi=120, metadata={"Software": None})
    pyplot.close(figure)


@contextmanager
def progress(total: int) -> Iterator[tuple[Callable[[str], None], Callable[[], None]]]:
    """A bar on standard error: say what is being done, and that a length is done."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)
        yield lambda text: bar.update(task, description=text), lambda: bar.advance(task)


def chosen_target(named: str | None) -> str:
    if named:
        return named
    try:
        find_compiler()
    except ToolchainError as missing:
        print(numpy_instead(missing), file=sys.stderr)
        return "numpy"
    return "c"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, help="folder for the table and the plot")
    parser.add_argument("--quick", action="store_true", help=f"lengths up to {QUICK}")
    parser.add_argument(
        "--target", choices=("c", "numpy"), help="default: c if there is a compiler"
    )
    arguments = parser.parse_args()
    lengths = [n for n in LENGTHS if n <= QUICK or not arguments.quick]
    target = chosen_target(arguments.target)
    rows: list[Row] = []
    stopped = False
    try:
        with progress(len(lengths)) as (say, done):
            for rods in lengths:
                rows.append(measure(rods, target, say))
                done()
    except KeyboardInterrupt:
        stopped = True
    Console().print(shown(rows))
    if stopped:
        print("stopped; no file is written", file=sys.stderr)
        return 130
    if arguments.output:
        save(arguments.output, rows, target)
    worst = max(row.riccati_error for row in rows)
    if not worst < LIMIT:
        print(f"the Riccati method's error reaches {worst:.1e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
