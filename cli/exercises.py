"""`mstmm worksheet` and `mstmm check-answer`: exercises from a derivation, and their judge."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError, ValidationError
from .pages import put, put_document
from .screen import Json, ModelName, one_of, print_json, print_wrapped, working

if TYPE_CHECKING:
    from ..report.worksheet import Judged, Worksheet

FORMATS = {"html": ".html", "latex": ".tex", "markdown": ".md"}

#: The largest worksheet that is read back.
LARGEST = 10_000_000

At = Annotated[
    str | None, typer.Option(metavar="STATE", help="Its numbers: 'theta1=0.3, omega1=2'.")
]
Algorithm = Annotated[str, typer.Option(metavar="NAME", help="Whose step it is.")]
Form = Annotated[str | None, typer.Option(metavar="fast|paper", help="Of the algorithm.")]


def worksheet(
    model: ModelName,
    step: Annotated[
        int | None, typer.Option(metavar="N", help="The step; without it, the steps are listed.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The exercise; see below."),
    ] = None,
    format: Annotated[
        str, typer.Option(metavar="NAME", help=one_of(FORMATS, "How to write it"))
    ] = "html",
    algorithm: Algorithm = "riccati",
    form: Form = None,
    at: At = None,
) -> None:
    """Write an exercise, one step of a derivation with blanks, and its solution beside it.

    -o FILE.html writes FILE.html and FILE-solution.html; default: MODEL-step-N.
    """
    if format not in FORMATS:
        raise UsageError(f"there is no format {format!r}; there are: {', '.join(FORMATS)}")
    if step is None:
        _list(model, algorithm, form, at)
        return
    with working(f"deriving {model}"):
        sheet = _sheet(model, algorithm, form, at, step)
        words = ["mstmm", "worksheet", model, "--step", str(step)]
        words += ["--algorithm", algorithm] if algorithm != "riccati" else []
        words += ["--form", form] if form else []
        words += ["--at", at] if at else []
        command = shlex.join(words)
        stem = re.sub(r"[^\w.-]+", "-", Path(model).stem)
        file = output or Path(f"{stem}-step-{step}{FORMATS[format]}")
        other = file.with_name(f"{file.stem}-solution{file.suffix}")
        for path, document in ((file, sheet.exercise(command)), (other, sheet.solution(command))):
            put_document(document, format, path)
    print(f"{file}, {other}")


def exercises(
    task: Annotated[
        str | None, typer.Argument(metavar="TASK", help="Without it, the tasks are listed.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Other data for each.")] = 1,
    count: Annotated[int, typer.Option(metavar="N", help="Sheets, with seeds N, N + 1, …")] = 1,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where they go.")
    ] = Path(),
    format: Annotated[
        str, typer.Option(metavar="NAME", help=one_of(FORMATS, "How to write them"))
    ] = "html",
) -> None:
    """Write exercises with data drawn from a seed: sheets, solutions, and forms to be filled in.

    TASK-N.html is the sheet, TASK-N-solution.html has the answers, TASK-N.txt is the form, which
    mstmm check-answer judges. With --count 30 each student of a class has other numbers.
    """
    from ..report.exercise_tasks import TASKS
    from ..report.exercises import Exercise
    from ..runtime.files import made_folder

    if task is None:
        print_wrapped(f"{name:<16} {found.__doc__}" for name, found in TASKS.items())
        return
    if format not in FORMATS:
        raise UsageError(f"there is no format {format!r}; there are: {', '.join(FORMATS)}")
    if count < 1 or seed < 0:
        raise UsageError("--count is 1 or more, --seed 0 or more")
    with made_folder(output):
        for number in range(seed, seed + count):
            exercise = Exercise.of(task, number)
            file = output / f"{exercise.name}{FORMATS[format]}"
            solution = file.with_name(f"{file.stem}-solution{file.suffix}")
            put_document(exercise.sheet(), format, file)
            put_document(exercise.solution(), format, solution)
            put(exercise.form(), file.with_suffix(".txt"))
            print(f"{file}, {solution}, {file.with_suffix('.txt')}")


def check_answer(
    sheet: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_STEP",
            help="A worksheet's file, branch-pendulum@12, a filled-in form, or a folder of forms.",
        ),
    ],
    answers: Annotated[
        list[str] | None,
        typer.Argument(metavar="ENTRY=…", help="IAh12='IA12 + IA13*P12', pA1=0.25, …"),
    ] = None,
    algorithm: Algorithm = "riccati",
    form: Form = None,
    at: At = None,
    as_json: Json = False,
) -> None:
    """Say of each answer whether it is right: a number, or any formula that is equal.

    A formula is compared at random states too; a number needs four digits. Of a folder of forms,
    those of a class, each has a line.
    """
    if not answers and Path(sheet).is_dir():
        _class(Path(sheet), as_json)
        return
    given = {}
    for answer in answers or ():
        name, equals, text = answer.partition("=")
        if not equals:
            raise UsageError(f"an answer is ENTRY=…, e.g. IAh12=0.21; {answer!r} is none")
        given[name.strip()] = text.strip()
    with working("judging"):
        if answers:
            model, step, algorithm, form, at = _named(sheet, algorithm, form, at)
            judged = _sheet(model, algorithm, form, at, step).check(given)
        else:
            judged = _filled(Path(sheet))
    if as_json:
        print_json([{"entry": x.entry, "ok": x.ok, "sentence": x.sentence} for x in judged])
    else:
        print_wrapped(f"{x.entry}: {x.sentence}" for x in judged)
    if not all(x.ok for x in judged):
        raise ValidationError(_counted(judged))


def _class(folder: Path, as_json: bool) -> None:
    """A line for each form in a folder; one that cannot be read says why, and hides no other."""
    forms = sorted(folder.glob("*.txt"), key=_in_order)
    if not forms:
        raise UsageError(f"{folder} has no forms, TASK-N.txt")
    told: dict[str, str] = {}
    open_or_wrong = 0
    for path in forms:
        try:
            judged = _filled(path)
        except UsageError as reason:
            told[path.name], whole = str(reason), False
        else:
            whole = all(x.ok for x in judged)
            told[path.name] = "all right" if whole else _counted(judged)
        open_or_wrong += not whole
    if as_json:
        print_json([{"form": name, "sentence": sentence} for name, sentence in told.items()])
    else:
        print_wrapped(f"{name}: {sentence}" for name, sentence in told.items())
    if open_or_wrong:
        raise ValidationError(f"{open_or_wrong} of {len(forms)} forms are not all right")


def _in_order(path: Path) -> list[tuple[int, str]]:
    """Words and numbers of a file's name: form 9 stands before form 10."""
    return [(int(x) if x.isdigit() else -1, x) for x in re.split(r"(\d+)", path.name)]


def _counted(judged: Sequence[Judged]) -> str:
    """How many answers are wrong, and which; how many are open."""
    wrong = [x.entry for x in judged if not x.ok and not x.is_open]
    unanswered = sum(x.is_open for x in judged)
    parts = [f"{len(wrong)} of {len(judged)} wrong: {', '.join(wrong)}"] if wrong else []
    parts += [f"{unanswered} of {len(judged)} open"] if unanswered else []
    return "; ".join(parts)


def _filled(path: Path) -> list[Judged]:
    from ..report.exercises import filled

    if path.suffix != ".txt" or not path.is_file():
        raise UsageError(f"{path} is no filled-in form (TASK-N.txt); or name answers: ENTRY=…")
    exercise, answers = filled(path.read_text(encoding="utf-8"))
    return exercise.judged(answers)


def _sheet(model: str, algorithm: str, form: str | None, at: str | None, step: int) -> Worksheet:
    from .. import derive, load
    from ..report.worksheet import Worksheet, state_with_speeds

    found = load(model)
    if form is None:
        derived = derive(found, algorithm=algorithm)
    else:
        derived = derive(found, algorithm=algorithm, form=form)
    return Worksheet(derived, state_with_speeds(found, at), step)


def _list(model: str, algorithm: str, form: str | None, at: str | None) -> None:
    from ..report.worksheet import steps

    with working(f"deriving {model}"):
        first = _sheet(model, algorithm, form, at, 1)
        found = steps(first.derived, first.state)
    print_wrapped(f"{k:>3}  {line}" for k, line in enumerate(found, start=1))


def _named(
    sheet: str, algorithm: str, form: str | None, at: str | None
) -> tuple[str, int, str, str | None, str | None]:
    """The model, step, algorithm, form and state of a worksheet's file, or of MODEL@N."""
    path = Path(sheet)
    if not path.is_file():
        model, _, number = sheet.rpartition("@")
        if not model or not number.isdigit():
            raise UsageError(
                f"{sheet} is no worksheet's file and no step such as branch-pendulum@12"
            )
        return model, int(number), algorithm, form, at
    words = _command(path)
    options = dict(zip(words[3::2], words[4::2], strict=False))
    if len(words) < 5 or not options.get("--step", "").isdigit():
        raise UsageError(f"{sheet} does not say which step it is of: its last line names it")
    return (
        words[2],
        int(options["--step"]),
        options.get("--algorithm", "riccati"),
        options.get("--form"),
        options.get("--at"),
    )


def _command(path: Path) -> Sequence[str]:
    """The words of the command that wrote a worksheet; they are read, not run."""
    if path.stat().st_size > LARGEST:
        raise UsageError(f"{path} is too large for a worksheet")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no text") from None
    found = re.findall(r"mstmm worksheet [^\n<`}]*", text)
    if not found:
        return ()
    try:
        return shlex.split(html.unescape(found[-1]).replace("\\_", "_"))
    except ValueError:
        return ()
