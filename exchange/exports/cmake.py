"""A CMake project: the library, its headers, an example, and what other projects find it by."""

from __future__ import annotations

from collections.abc import Mapping

from ...codegen.generate import Generated
from ...codegen.targets.c.writing import EXAMPLE
from .filled import render

#: Of the library; its interface is that of the header.
VERSION = "1.0.0"


def cmake_project(made: Generated) -> Mapping[str, bytes]:
    """The files of a project, by path."""
    sources = made.sources
    prefix = sources.interface.prefix
    context = {
        "prefix": prefix,
        "upper": prefix.upper(),
        "title": f"{made.model.name}: {made.program.title}".splitlines()[0],
        "version": VERSION,
        "example": EXAMPLE if EXAMPLE in sources.files else "",
        "sources": sorted(name for name in sources.library if name.endswith(".c")),
    }
    found = {
        f"{'include' if name.endswith('.h') else 'src'}/{name}": text
        for name, text in sources.library.items()
    }
    if EXAMPLE in sources.files:
        found[f"example/{EXAMPLE}"] = sources.files[EXAMPLE]
    for path, template in (
        ("CMakeLists.txt", "CMakeLists.txt"),
        ("cmake/Config.cmake.in", "Config.cmake.in"),
        ("cmake/package.pc.in", "package.pc.in"),
    ):
        found[path] = render(f"{template}.jinja", context)
    return {path: text.encode() for path, text in found.items()}
