"""What every algorithm emits for these models: hashes of programs and files, and operation counts.

A case's `program` and `files` are hashed without their words: titles, sources and comments, which
another hash, `words`, covers with all the rest. So a comment moves that one line of a case, and
what runs moves the others.

`python tests/goldens.py` writes `data/goldens/goldens.json` anew and says what changed. A change
of the code that shall not change what is emitted leaves the file as it is.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from places import EXAMPLES

from mstmm import load
from mstmm.codegen.generate import Generated, generate
from mstmm.codegen.targets.registry import loadable
from mstmm.errors import MstmmError
from mstmm.model import Model
from mstmm.symbolic.language.program import Kernel, Let, Program, Ref
from mstmm.symbolic.methods.algorithms import ALGORITHMS

FOLDER = Path(__file__).parent / "data" / "goldens"
RECORD = FOLDER / "goldens.json"

#: In the plane, in space, with loops, beams (without foreshortening, with it), loads, couplings, a
#: moving base, and with momenta.
MODELS = {
    "plane": "branch-pendulum",
    "space": "spatial-tree",
    "loops": "four-bar",
    "beams": "example-1",
    "shortened beams": str(EXAMPLES / "beam.toml"),
    "loads": str(FOLDER / "loads.toml"),
    "couplings": str(FOLDER / "couplings.toml"),
    "moving base": str(FOLDER / "moving-base.toml"),
    "momenta": "hdca-case-3",
    "chain": "rod-chain:n=40",
    "chain of balls": "ball-chain:n=40",
}


@dataclass(frozen=True)
class Case:
    """One way through the generator."""

    model: str
    algorithm: str
    form: str
    target: str
    forced: bool

    @property
    def name(self) -> str:
        forced = ", with forces" if self.forced else ""
        return f"{self.model}: {self.algorithm} ({self.form}), {self.target}{forced}"


@cache
def model(name: str) -> Model:
    return load(MODELS[name])


def ways(model: Model) -> Iterator[tuple[str, str]]:
    """The algorithms and forms in the coordinates of a model."""
    for algorithm in ALGORITHMS:
        for form, makers in algorithm.forms.items():
            if makers.of(model) and not algorithm.alias_of:
                yield algorithm.name, form


def cases(chosen: str | None = None) -> Iterator[Case]:
    """All ways through the generator for one model, or for all."""
    for name in MODELS if chosen is None else (chosen,):
        for algorithm, form in ways(model(name)):
            chain = name.startswith("chain")
            if chain and algorithm != "riccati":
                continue
            for target in ("c-lanes",) if chain else (t for t in loadable() if t != "c-lanes"):
                yield from (Case(name, algorithm, form, target, forced) for forced in (False, True))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


#: A text in quotes, which stays, or a comment; a docstring counts as one.
_QUOTED = r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
C = re.compile(rf"{_QUOTED}|//[^\n]*|/\*.*?\*/", re.DOTALL)
PYTHON = re.compile(rf'"""(?:.*?)"""|{_QUOTED}|#[^\n]*', re.DOTALL)


def bare(name: str, text: str) -> str:
    """A file as it runs: without comments, and of its description without what cites equations."""
    if name.endswith(".json"):
        return json.dumps(json.loads(text, object_hook=_without_equations))
    comments = PYTHON if name.endswith(".py") else C
    lines = comments.sub(lambda found: found[1] or "", text).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _without_equations(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "equations"}


@cache
def kernel_text(kernel: Kernel, words: bool) -> str:
    lines = [kernel.name, kernel.title * words, str(kernel.inputs), str(kernel.outputs)]
    for statement, values in zip(kernel.statements, printed(kernel), strict=True):
        lines.append(f"{statement.port} {statement.source if words else ''} {values}")
    return digest("\n".join(lines))


@cache
def printed(kernel: Kernel) -> list[str]:
    """What the statements compute: once for the text with words and for that without."""
    found = []
    for statement in kernel.statements:
        whole = (statement.value,) if isinstance(statement, Let) else statement.parts
        found.append(str([matrix for matrix in whole if len(matrix)]))
    return found


def program_text(program: Program, *, words: bool) -> str:
    """All that a program says, if asked with titles and sources; calls with their bindings."""
    lines = [program.name, program.title * words, str(dict(program.sets)), str(program.slots)]
    lines += [str(array) for _, array in sorted(program.arrays.items())]
    lines += [str(entry) for entry in program.entries]
    for step in program.steps:
        lines.append(f"{step.name} {step.title * words} {step.clears} {step.dense}")
        for call in step.calls:
            bound = [
                f"{name}={ref if isinstance(ref, Ref) else list(ref)}"
                for name, ref in (*sorted(call.reads.items()), *sorted(call.writes.items()))
            ]
            lines.append(f"{kernel_text(call.kernel, words)} {call.member} {call.span} {bound}")
    return "\n".join(lines)


def golden(case: Case) -> dict[str, Any]:
    """What is emitted: operations of every entry, hashes of the program, files and words."""
    try:
        made = generate(
            model(case.model),
            algorithm=case.algorithm,
            form=case.form,
            target=case.target,
            forced=case.forced,
        )
    except MstmmError as refused:
        return {"refused": str(refused)}
    files = sorted(made.sources.files.items())
    return {
        "operations": operations(made),
        "program": digest(program_text(made.program, words=False)),
        "files": {name: digest(bare(name, text)) for name, text in files},
        "words": digest(f"{program_text(made.program, words=True)}\n{files}"),
    }


def operations(made: Generated) -> dict[str, int]:
    return {e.name: made.module.operations(e).total() for e in made.module.entries}


def recorded() -> dict[str, Any]:
    return dict(json.loads(RECORD.read_text()))


def differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """What changed, one line a case; counts that rose stand out."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, {}), after.get(name, {})
        changed = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
        if not changed:
            continue
        said = []
        for entry, count in new.get("operations", {}).items():
            was = old.get("operations", {}).get(entry)
            if was is not None and was != count:
                said.append(f"{entry} {was} → {count}{' ROSE' if count > was else ''}")
        yield f"{name}: {', '.join(changed)} changed{'; ' if said else ''}{', '.join(said)}"


def main() -> None:
    before = recorded() if RECORD.exists() else {}
    after = {}
    for case in cases():
        after[case.name] = golden(case)
        print(f"\r\x1b[K{len(after)} {case.name}"[:79], end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for line in differences(before, after):
        print(line)
    RECORD.write_text(json.dumps(after, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
