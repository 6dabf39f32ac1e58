"""The main job on the paper's own system: derived, generated, proven, simulated, shown."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import sympy as sp
from rich.console import Console

from ...codegen.cache import cached_text
from ...codegen.generate import Generated
from ...codegen.proof.records import Proof
from ...codegen.proof.validate import validate
from ...codegen.targets.registry import target_named
from ...codegen.toolchain import numpy_instead
from ...errors import ToolchainError
from ...model import Model, load
from ...model.expressions.quantities import told
from ...report import plot
from ...report.documents.html import html
from ...report.judging import lagrange
from ...report.page import compared_document
from ...report.screen import Screen
from ...runtime.files import made_beside, made_folder
from ...runtime.motions.results import Run
from ...runtime.solver import Solver, compile_model
from ...shown import in_full
from ...symbolic.derivation.derivation import Derivation
from ...symbolic.derivation.errata import KINDS, Erratum

MODEL = "branch-pendulum"
FOLDER = Path("mstmm-demo")
T_END, DT = 5.0, 1e-3
#: States of the demonstration's validation; `mstmm validate` takes more.
POINTS = 12
PAGE = "derivation.html"
SOURCES = "generated"
_SHORT = {
    "additions": "add",
    "divisions": "div",
    "multiplications": "mult",
    "negations": "neg",
    "sines and cosines": "sin, cos",
}


def run_demo(folder: Path, target: str | None, console: Console) -> None:
    """Derive, generate, prove and simulate the branch pendulum; print it and write the folder.

    `target` is `c` or `numpy`; without one C, or NumPy where C cannot be compiled.

    Raises
        UsageError: an unknown target, or a folder that cannot be written.
        ToolchainError: target `c` was asked for and there is no working compiler.
        ValidationError: the generated code disagrees with its symbolic form.
    Source
        Riccati paper, Sect. 5.1.
    """
    screen = Screen(console)
    with _folder(folder) as place:
        _demo(screen, place, target)
        written = sorted(path.name for path in place.iterdir() if path.is_file())
    screen.line()
    screen.line(f"Written to {folder}: {', '.join([*written, SOURCES])}/")


@contextmanager
def _folder(folder: Path) -> Iterator[Path]:
    """A scratch folder whose files come into `folder` when all is well; nothing otherwise."""
    sources = folder / SOURCES
    with made_folder(folder), made_folder(sources), made_beside(folder) as scratch:
        (scratch / SOURCES).mkdir()
        yield scratch
        with made_beside(sources) as inner:
            for file in sorted((scratch / SOURCES).iterdir()):
                file.rename(inner / file.name)
        (scratch / SOURCES).rmdir()


def _demo(screen: Screen, place: Path, target: str | None) -> None:
    from ... import derive

    model = load(MODEL)
    derivation = derive(model)
    _system(screen, derivation)
    with screen.working("deriving"):
        S2, e2 = derivation.find("S2"), derivation.find("e2")
    screen.heading(2, "Derived from Newton's law: S2 (39) and e2 (40)")
    for result in (S2, e2):
        _matrix(screen, result.symbol, result.matrix)
        screen.line(f"{result.symbol} {result.verdict.sentence()}.", "green")
    with screen.working("comparing every matrix with the paper"):
        list(derivation.results)
    _errata(screen, derivation)
    solver = _solver(screen, target)
    _write(place / SOURCES, solver.generated)
    with screen.working(f"simulating {T_END:g} s"):
        run, independent = _motions(solver)
    with _drawing(place, run, independent) as drawing:
        _code(screen, solver.generated)
        with screen.working(f"validating at {POINTS} states in 50-digit arithmetic"):
            proof = validate(solver, points=POINTS)
        _proof(screen, proof)
        proof.require()
        with screen.working("writing the page"):
            text = _page(model, derivation, solver.generated, proof)
            (place / PAGE).write_text(text, encoding="utf-8")
        _motion(screen, run, independent)
        with screen.working("drawing"):
            failure = _drawn(drawing)
        if failure:
            screen.line(failure, "yellow")


# What is printed


def _system(screen: Screen, derivation: Derivation) -> None:
    model = derivation.model
    values = ", ".join(f"{name} = {value:g}" for name, value in model.parameters.items())
    screen.heading(1, f"The system: {model.name}")
    screen.line(model.description)
    bodies, hinges = told(len(model.bodies), "body", "bodies"), told(len(model.hinges), "hinge")
    screen.line(f"{bodies}, {hinges}; {values} (SI)")
    screen.rows([("–", line) for line in derivation.plan.describe().splitlines()])


def _matrix(screen: Screen, name: str, matrix: sp.Matrix) -> None:
    drawn = sp.pretty(matrix, use_unicode=True, wrap_line=False).splitlines()
    middle = (len(drawn) - 1) // 2
    for number, line in enumerate(drawn):
        head = f"{name} = " if number == middle else " " * (len(name) + 3)
        screen.line(f"  {head}{line}")


def _errata(screen: Screen, derivation: Derivation) -> None:
    screen.heading(3, "What it found in the paper")
    tally = [result.verdict.status for result in derivation.results]
    screen.line(
        f"Of {len(tally)} results {tally.count('equals')} equal the print, "
        f"{tally.count('differs')} differ from it, of {tally.count('lost')} our copy of the paper "
        f"lacks the display, {tally.count('own')} are not printed in the paper."
    )
    printed, completed = (
        int(derivation.find("rank", form=form).matrix[0, 0]) for form in ("printed", "completed")
    )
    size = derivation.find("Ubar", form="printed").matrix.rows
    screen.line(
        f"The printed system (59) has rank {printed} of {size}: it determines no motion. "
        f"Completed: rank {completed}.",
        "bold yellow",
    )
    rank, *others = derivation.errata
    wrong = [erratum for erratum in others if erratum.kind == "W"]
    incomplete = [erratum for erratum in others if erratum.kind == "I"]
    notation = [erratum.id for erratum in others if erratum.kind == "N"]
    screen.rows([_erratum(erratum) for erratum in (rank, *wrong, *incomplete)])
    screen.line(f"{len(notation)} more of notation: {', '.join(notation)} (on the page).")


def _erratum(erratum: Erratum) -> tuple[str, str, str]:
    text = f"{erratum.where}: {erratum.printed} → {erratum.correct}"
    return erratum.id, KINDS[erratum.kind], text


def _code(screen: Screen, generated: Generated) -> None:
    language = target_named(generated.sources.target).language
    screen.heading(4, f"Generated {language}: operations and sizes")
    module = generated.module
    operations = {entry.name: module.operations(entry) for entry in module.entries}
    kinds = sorted({kind for counted in operations.values() for kind in counted})
    screen.rows(
        [
            (name, str(counted.total()), *(str(counted[kind]) for kind in kinds))
            for name, counted in operations.items()
        ],
        ("function", "total|", *(f"{_SHORT.get(kind, kind)}|" for kind in kinds)),
    )
    screen.line("Forces along the speeds are arguments, as of every solver (generate --forced).")
    screen.line()
    screen.rows(
        [
            (name, str(len(text.encode())), str(text.count("\n")))
            for name, text in generated.sources.files.items()
        ],
        ("file", "bytes|", "lines|"),
    )


def _proof(screen: Screen, proof: Proof) -> None:
    screen.heading(5, f"Validation: {proof.points} states, 50-digit arithmetic, errors in ulp")
    screen.rows(
        [
            (
                row.kernel,
                str(row.points),
                f"{row.max_ulps:.2f}",
                f"{row.bound:.1f}",
                "ok" if row.ok else "FAILS",
            )
            for row in proof.rows
        ],
        ("kernel", "points|", "error|", "bound|", ""),
    )
    if proof.ok:
        screen.line("Every kernel is within its bound: 16 times the rounding of its data.", "green")
    else:
        screen.line(proof.worst, "bold red")


def _motion(screen: Screen, run: Run, independent: lagrange.Motion) -> None:
    distance = np.abs(_at(run, independent.time) - independent.theta).max()
    names = ", ".join(name.replace("theta", "θ") for name in run.coordinates)
    screen.heading(6, f"The motion: RK4, {T_END:g} s, steps of {DT:g} s")
    screen.rows(
        [
            ("energy at the start", f"{run.energy[0]:.6f} J"),
            ("largest energy drift", f"{run.energy_drift:.2e} J"),
            ("distance from Lagrange's equations", f"{distance:.2e} rad"),
            (f"angles at {T_END:g} s: {names}", ", ".join(f"{x:.6f}" for x in run.q[-1]) + " rad"),
        ]
    )


# What is computed


def _solver(screen: Screen, target: str | None) -> Solver:
    with screen.working("generating and compiling"):
        try:
            return compile_model(MODEL, target=target or "c")
        except ToolchainError as error:
            if target is not None:
                raise
            instead = numpy_instead(error)
    screen.line()
    screen.line(instead, "yellow")
    with screen.working("generating NumPy code"):
        return compile_model(MODEL, target="numpy")


def _motions(solver: Solver) -> tuple[Run, lagrange.Motion]:
    run = solver.simulate(t_end=T_END, dt=DT)
    values = solver.model.parameters
    found = lagrange.motion(run.q[0], run.v[0], t_end=T_END, a=values["a"], g=values["g"])
    return run, found


def _at(run: Run, times: lagrange.Floats) -> lagrange.Floats:
    """The angles at times that are records of the run."""
    rows = np.searchsorted(run.time, times - DT / 2)
    angles: lagrange.Floats = run.q[rows]
    return angles


def _page(model: Model, derivation: Derivation, generated: Generated, proof: Proof) -> str:
    key = "\0".join((in_full(model), generated.sources.digest, in_full(proof)))
    return cached_text("page", key, lambda: html(compared_document(derivation, generated, proof)))


def _write(folder: Path, generated: Generated) -> None:
    for name, text in generated.sources.files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


# The plot, drawn by another process meanwhile


@contextmanager
def _drawing(
    place: Path, run: Run, independent: lagrange.Motion
) -> Iterator[subprocess.Popen[str]]:
    motion = plot.Motion(
        time=run.time,
        angles=run.q,
        coordinates=run.coordinates,
        forces=np.linalg.norm(run.loads[..., 3:], axis=-1),
        ends=run.ends,
        at=independent.time,
        independent=independent.theta,
    )
    with tempfile.TemporaryDirectory(prefix="mstmm-") as folder:
        data = Path(folder, "motion.npz")
        plot.save(motion, data)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "mstmm.report.plot", str(data), str(place)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def _drawn(process: subprocess.Popen[str]) -> str:
    """Wait for the plot; what keeps it from being drawn, in one line, or nothing."""
    _, errors = process.communicate()
    lines = errors.strip().splitlines()
    if process.returncode == ToolchainError.exit_code:
        return "; ".join(lines)
    return f"the plot could not be drawn: {lines[-1]}" if process.returncode else ""
