"""Whether what is emitted is the same but for comments: hashes of files without them.

`python tests/bare.py record FILE` writes them down for these models, `python tests/bare.py compare
FILE` says what is another than was written down.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from featured_models import featured
from places import EXAMPLES

from mstmm import load
from mstmm.codegen.generate import generate
from mstmm.errors import MstmmError
from mstmm.model import Model
from mstmm.symbolic.methods.algorithms import ALGORITHMS

#: Trees in the plane and in space, chains, loops, beams, a robot.
READY_MADE = (
    "cart-pole",
    "spatial-tree",
    "branch-pendulum",
    "ball-chain:n=4",
    "rod-chain:n=40",
    "four-bar",
    "example-1",
    str(EXAMPLES / "beam.toml"),
)
TARGETS = ("c", "c-batch", "numpy")


def bare(name: str, text: str) -> str:
    """A file without its comments and blank lines."""
    if name.endswith(".py"):
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        kept = [t.string for t in tokens if t.type not in (tokenize.COMMENT, tokenize.NL)]
        return "\n".join(kept)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def models(seeds: int) -> Iterator[tuple[str, Model]]:
    yield from ((name, load(name)) for name in READY_MADE)
    yield from ((f"featured {seed}", featured(seed)) for seed in range(seeds))


def hashes(seeds: int) -> Iterator[tuple[str, object]]:
    """By model, algorithm, form, target: operations and the hash of every file."""
    for name, model in models(seeds):
        for algorithm in ALGORITHMS:
            for form, makers in algorithm.forms.items():
                if not makers.of(model) or algorithm.alias_of:
                    continue
                for target in TARGETS if name in READY_MADE[:4] else ("c",):
                    yield (
                        f"{name}: {algorithm.name} ({form}), {target}",
                        emitted(model, algorithm=algorithm.name, form=form, target=target),
                    )


def emitted(model: Model, **options: str) -> object:
    try:
        made = generate(model, forced=True, **options)
    except MstmmError as refused:
        return str(refused)
    files = {
        name: hashlib.sha256(bare(name, text).encode()).hexdigest()[:16]
        for name, text in sorted(made.sources.files.items())
    }
    counts = {e.name: made.module.operations(e).total() for e in made.module.entries}
    return {"operations": counts, "files": files}


def main(task: str, file: str, seeds: str = "14") -> None:
    record = Path(file)
    known = json.loads(record.read_text()) if task == "compare" else {}
    found = {}
    for name, what in hashes(int(seeds)):
        found[name] = what
        if task == "compare" and name in known and known[name] != what:
            print(
                f"{name}: changed",
                {
                    k: (known[name][k], what[k])
                    for k in what
                    if isinstance(what, dict) and known[name][k] != what[k] and k == "operations"
                },
                [
                    f
                    for f in (what.get("files") or {})
                    if known[name]["files"].get(f) != what["files"][f]
                ]
                if isinstance(what, dict) and isinstance(known[name], dict)
                else what,
            )
    if task == "record":
        record.write_text(json.dumps(found, indent=1))
    print(f"{len(found)} ways through the generator")


if __name__ == "__main__":
    main(*sys.argv[1:])
