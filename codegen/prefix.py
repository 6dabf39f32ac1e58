"""What the emitted files of a model and their public names begin with.

A model's public names are `prefix_entry`. The prefix is the model's name, and after it the
algorithm's unless that is the default one: `arm_accelerations`, `arm_dca_accelerations`. So the
libraries of several algorithms lie in one folder, and link into one program.

A model's file also holds functions named after the steps, and what the shared files declare; it
lies beside a compiler's headers and Python's modules. Where a model's name would meet one of these,
`_model` follows it: a model `body` has `body_model.c`.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

#: Headers of C that a compiler must not look for among ours.
HEADERS = frozenset(
    re.findall(
        r"\w+",
        """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
        stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath
        threads time uchar wchar wctype""",
    )
)

#: Modules that an emitted one must not hide, and our own files beside it.
MODULES = frozenset(sys.stdlib_module_names | {"numpy", "cffi", "example_main"})


#: The algorithm whose name is left out.
DEFAULT = "riccati"


def prefix_of(name: str, algorithm: str, steps: Iterable[str]) -> str:
    """The prefix for a model of this name, whose program is of an algorithm and has these steps."""
    prefix = name if algorithm == DEFAULT else f"{name}-{algorithm}"
    prefix = prefix.replace("-", "_")
    taken = prefix in MODULES | HEADERS or keyword.iskeyword(prefix) or prefix.startswith("mstmm")
    begins = f"{prefix}_"
    if taken or any(word.startswith(begins) for word in (*steps, *_words())):
        return f"{prefix}_model"
    return prefix


@cache
def _words() -> frozenset[str]:
    """All names that the templates of C write themselves."""
    targets, shared = files("mstmm.codegen.targets"), files("mstmm.templates") / "shared"
    folders = (shared, *(targets / name for name in ("c", "c_batch", "c_lanes")))
    found = (each for folder in folders for each in folder.iterdir())
    texts = (each.read_text("utf-8") for each in found if each.name.endswith(".jinja"))
    return frozenset(word for text in texts for word in re.findall(r"[A-Za-z]\w*", text))
