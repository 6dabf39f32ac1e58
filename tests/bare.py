"""Whether programs, and what is emitted but for comments, are as they were.

`python tests/bare.py record FILE` writes down hashes, `python tests/bare.py compare FILE` says what
is another now: of the programs of all algorithms for these models, and with `--files` of the files
in C and NumPy without their comments.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from featured_models import featured
from goldens import FOLDER, digest, program_text

from mstmm import load
from mstmm.codegen.generate import generate
from mstmm.errors import MstmmError
from mstmm.model import Model
from mstmm.symbolic.methods.algorithms import ALGORITHMS, chosen
from mstmm.symbolic.plans.plan import plan

MODELS = (
    *("cart-pole", "spatial-tree", "branch-pendulum", "ball-chain:n=4", "four-bar", "example-1"),
    *(str(FOLDER / f"{name}.toml") for name in ("loads", "couplings", "moving-base")),
    "rod-chain:n=40",
)

#: Models put together at random.
SEEDS = range(14)


def bare(name: str, text: str) -> str:
    """A file without comments and blank lines."""
    if name.endswith(".py"):
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        left_out = (tokenize.COMMENT, tokenize.NL)
        return "\n".join(token.string for token in tokens if token.type not in left_out)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def models() -> Iterator[tuple[str, Model]]:
    yield from ((name, load(name)) for name in MODELS)
    yield from ((f"featured {seed}", featured(seed)) for seed in SEEDS)


def hashes(files: bool) -> Iterator[tuple[str, str]]:
    """By model, algorithm and form."""
    for name, model in models():
        for algorithm in ALGORITHMS:
            if algorithm.alias_of or (algorithm.name == "derivatives" and name != "spatial-tree"):
                continue
            for form, makers in algorithm.forms.items():
                if makers.of(model):
                    text = _files if files else _program
                    yield f"{name}: {algorithm.name} ({form})", text(model, algorithm.name, form)


def _program(model: Model, algorithm: str, form: str) -> str:
    try:
        return digest(program_text(chosen(algorithm, form=form).program(plan(model), forced=True)))
    except MstmmError as refused:
        return str(refused)


def _files(model: Model, algorithm: str, form: str) -> str:
    texts = []
    for target in ("c", "numpy"):
        try:
            made = generate(model, algorithm=algorithm, form=form, target=target, forced=True)
        except MstmmError as refused:
            return str(refused)
        texts += [bare(name, text) for name, text in sorted(made.sources.files.items())]
    return digest("\n".join(texts))


def main(task: str, file: str, *options: str) -> None:
    record = Path(file)
    known = json.loads(record.read_text()) if task == "compare" else {}
    found = {}
    for name, hashed in hashes("--files" in options):
        found[name] = hashed
        if task == "compare" and known.get(name) != hashed:
            print(f"{name} has changed")
    if task == "record":
        record.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(found)} compared" if task == "compare" else f"{len(found)} recorded")


if __name__ == "__main__":
    main(*sys.argv[1:])
