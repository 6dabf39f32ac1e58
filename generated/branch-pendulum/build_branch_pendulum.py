"""Builds branch_pendulum.c as the extension module _branch_pendulum (cffi, API mode).

    python build_branch_pendulum.py

needs cffi, setuptools, a C compiler and Python's headers. It builds for this very machine;
`mstmm generate --portable` writes one that builds for any of its kind. Then:

    from _branch_pendulum import ffi, lib
"""

import re
import shutil
import tempfile
from pathlib import Path

from cffi import FFI

here = Path(__file__).resolve().parent


def declarations(header):
    """What cffi reads of a header: all but the preprocessor's lines."""
    text = (here / header).read_text(encoding="utf-8")
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.DOTALL)
    return "".join(line for line in text.splitlines(True) if not line.startswith("#"))


ffibuilder = FFI()
ffibuilder.cdef(declarations("mstmm_motion.h"))
ffibuilder.cdef(declarations("branch_pendulum.h"))
ffibuilder.set_source(
    "_branch_pendulum",
    '#include "branch_pendulum.h"',
    sources=[str(here / name) for name in ("branch_pendulum.c", "branch_pendulum_motion.c", "mstmm_trig.c", "mstmm_motion.c")],
    include_dirs=[str(here)],
    extra_compile_args=["-std=c11", "-O3", "-ffp-contract=fast", "-march=native", "-fno-tree-loop-distribute-patterns"],
    libraries=["m"],
)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        built = Path(ffibuilder.compile(tmpdir=scratch, verbose=True))
        print(shutil.move(built, here / built.name))
