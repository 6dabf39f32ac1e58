"""CUDA compiled for a card's architecture by NVRTC, which needs neither a card nor a host compiler.

What the compiler reports of each kernel says whether a state fits a thread: what its registers do
not hold lies on its stack, which is memory of the card.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from importlib import import_module

from ....errors import ToolchainError
from ...cache import digest, keep, recall

#: Bytes of stack a thread beyond which a kernel waits for memory most of its time: the stacks of
#: the threads that an H100 has at once (132 · 256) fill its second cache five times.
LARGEST_STACK = 8192

#: How hard registers are given out: where the first kernel spills, the second way is tried, which
#: orders instructions less for speed and so holds fewer numbers at once.
_LEVELS = ("-O3", "-O1")
_REMEDY = 'pip install "mstmm[cuda]"'

_KERNEL = re.compile(
    r"Compiling entry function '(?P<name>\w+)_device'.*?"
    r"(?P<spilled>\d+) bytes spill stores.*?"
    r"Used (?P<registers>\d+) registers(?:[^\n]*?(?P<stack>\d+) bytes cumulative stack)?",
    re.DOTALL,
)


@dataclass(frozen=True)
class Kernel:
    """What the compiler reports of a kernel, a thread of which has one state.

    Units
        `stack`, and what of registers is `spilled` there, in bytes.
    Source
        own
    """

    name: str
    registers: int
    stack: int
    spilled: int

    @property
    def fits(self) -> bool:
        """Does a state fit a thread?"""
        return self.stack <= LARGEST_STACK


@dataclass(frozen=True)
class Cubin:
    """Machine code of one architecture, and what was reported of its kernels."""

    code: bytes
    report: str
    kernels: tuple[Kernel, ...]

    @classmethod
    def of(cls, code: bytes, report: str, text: str) -> Cubin:
        """With the kernels in the order of the text; each is called `NAME_device`."""
        found = (
            Kernel(x["name"], int(x["registers"]), int(x["stack"] or 0), int(x["spilled"]))
            for x in _KERNEL.finditer(report)
        )
        return cls(code, report, tuple(sorted(found, key=lambda x: text.find(f"{x.name}_device("))))


def cubin(name: str, text: str, architecture: str) -> Cubin:
    """Compile a text for an architecture such as `sm_90`, or take it from the cache.

    Raises
        ToolchainError: NVRTC is not there, or knows no such architecture.

    Source
        own
    """
    try:
        core, nvrtc = import_module("cuda.core"), import_module("cuda.bindings.nvrtc")
        version, known = nvrtc.nvrtcVersion()[1:], nvrtc.nvrtcGetSupportedArchs()[1]
    except (ImportError, RuntimeError) as error:
        why = str(error).partition("\n")[0]
        raise ToolchainError(
            f"CUDA is compiled by NVRTC, which cannot be loaded here ({why})", remedy=_REMEDY
        ) from error
    if architecture.rstrip("af") not in (architectures := [f"sm_{x}" for x in known]):
        raise ToolchainError(
            f"NVRTC {'.'.join(map(str, version))} knows no architecture {architecture!r}",
            remedy=f"choose one of {', '.join(architectures)}",
        )
    key = digest("cubin", name, text, architecture, repr((_LEVELS, version)))
    if kept := recall(key):
        report, _, code = kept.partition(b"\0")
        return Cubin.of(code, report.decode(), text)
    found: list[Cubin] = []
    for level in _LEVELS:
        log = io.StringIO()
        options = {"name": name, "arch": architecture, "ptxas_options": ["-v", level]}
        program = core.Program(text, "c++", core.ProgramOptions(**options, std="c++17"))
        code = program.compile("cubin", logs=log).code
        found.append(Cubin.of(bytes(code), log.getvalue().rstrip("\0"), text))
        if not _spilled(found[-1]):
            break
    made = min(found, key=_spilled)
    keep(key, made.report.encode() + b"\0" + made.code)
    return made


def _spilled(made: Cubin) -> int:
    """Of the first kernel, which is what an algorithm is for."""
    return sum(kernel.spilled for kernel in made.kernels[:1])
