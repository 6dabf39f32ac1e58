"""The house: who may import whom, what the wheel holds, what the public face promises."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
import types
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import long_tests
import networkx
import pytest

import mstmm
from mstmm.codegen import cache
from mstmm.errors import UsageError

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS = PROJECT["tool"]["setuptools"]
FOLDERS: dict[str, Path] = {
    package: ROOT / folder for package, folder in SETUPTOOLS["package-dir"].items()
}

#: Imports go to a folder of lower rank (`report` may read a run of `runtime`).
RANK = {
    "model": 0,
    "symbolic": 1,
    "codegen": 2,
    "templates": 2,
    "runtime": 3,
    "report": 4,
    "papers": 5,
    "exchange": 5,
    "cli": 6,
}
NO_FILES = {"os", "io", "pathlib", "shutil", "tempfile", "subprocess", "filelock", "platformdirs"}
NO_NUMBERS = {"numpy", "scipy", "xarray", "matplotlib"}
NO_CODE = {"jinja2", "cffi", "ctypes"}
UNKNOWN_TO = {
    "symbolic": NO_FILES | NO_NUMBERS | NO_CODE,
    "runtime": {"sympy", "jinja2"},
}
UNCALLED_IN = {"symbolic": {"open", "eval", "exec"}}
DEPENDENCIES = {
    re.split(r"[^\w.-]", requirement)[0] for requirement in PROJECT["project"]["dependencies"]
}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the sub-packages, with the sub-package it belongs to."""
    for package, folder in FOLDERS.items():
        if package != "mstmm":
            for file in sorted(folder.rglob("*.py")):
                inside = file.relative_to(folder).parent.parts
                yield ".".join((package.removeprefix("mstmm."), *inside)), file


# Imports


def imported(tree: ast.AST, package: str) -> Iterator[str]:
    """Absolute names of what a module of `mstmm.<package>` imports, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            path = ("mstmm", *package.split("."))
            base = path[: len(path) + 1 - node.level] if node.level else ()
            source = ".".join((*base, *([node.module] if node.module else [])))
            if source == "mstmm":
                yield from (f"mstmm.{alias.name}" for alias in node.names)
            else:
                yield source


def import_offences(package: str, text: str) -> list[str]:
    """What a module of this sub-package imports or calls, and may not."""
    tree = ast.parse(text)
    offences = []
    room, package = package, package.partition(".")[0]
    for name in imported(tree, room):
        top, _, below = name.partition(".")
        owner = below.partition(".")[0]
        if top in RANK:
            offences.append(f"{package} imports {name}: import it as mstmm.{name}")
        if top in UNKNOWN_TO.get(package, ()):
            offences.append(f"{package} knows no {top}")
        if top == "mstmm" and owner in RANK and owner != package and RANK[owner] >= RANK[package]:
            offences.append(f"{package} imports {owner}: imports run the other way")
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    uncalled = UNCALLED_IN.get(package, set())
    offences += [f"{package} calls {name}" for name in sorted(called & uncalled)]
    return offences


def test_imports_run_one_way() -> None:
    offences = [
        f"{file.relative_to(ROOT)}: {offence}"
        for package, file in modules()
        for offence in import_offences(package, file.read_text())
    ]
    assert offences == []


@pytest.mark.parametrize(
    ("package", "text"),
    [
        ("model", "from ..symbolic import plan"),
        ("model", "from ..symbolic.plan import Plan"),
        ("symbolic", "from .. import codegen"),
        ("symbolic", "import numpy as np"),
        ("symbolic", "def f():\n    from numpy.linalg import inv"),
        ("symbolic", "if TYPE_CHECKING:\n    from pathlib import Path"),
        ("symbolic", "text = open('x').read()"),
        ("codegen", "from ..runtime.solver import Solver"),
        ("codegen", "import mstmm.runtime"),
        ("runtime", "from ..report import page"),
        ("runtime", "import sympy"),
        ("report", "from ..cli import main"),
        ("report", "from ..papers import ledger"),
        ("runtime", "from ..exchange.ensemble.ensemble import Ensemble"),
        ("exchange", "from ...papers import ledger"),
        ("symbolic", "from ..papers.screw import world"),
        ("papers", "from ...cli import main"),
        ("cli", "from symbolic import plan"),
    ],
)
def test_a_planted_import_is_seen(package: str, text: str) -> None:
    assert len(import_offences(package, text)) == 1


@pytest.mark.parametrize(
    ("package", "text"),
    [
        ("symbolic", "from ..model import Model\nfrom ..errors import UsageError\nimport sympy"),
        ("symbolic", "from .plan import Plan\nfrom . import plan"),
        ("codegen", "from .. import __version__\nfrom ..symbolic.program import Program"),
        ("report", "from ..runtime import Run"),
        ("cli", "from ..report import page\nfrom ..runtime import solver\nfrom .. import load"),
    ],
)
def test_an_allowed_import_is_let_through(package: str, text: str) -> None:
    assert import_offences(package, text) == []


#: The rooms of `symbolic/`: each imports only itself and rooms before it.
ROOMS = (
    "language",
    "equations",
    "exact",
    "mechanics",
    "plans",
    "sharing",
    "tree",
    "methods",
    "derivation",
    "pages",
)
LARGEST_ROOM = 25
SMALL = ("cli", "codegen", "exchange", "papers", "report", "runtime", "symbolic")


def import_graph(folder: Path, package: str) -> dict[str, set[str]]:
    """The modules of a folder by dotted name, with those of the folder that each imports."""
    files = {
        ".".join((package, *file.relative_to(folder).with_suffix("").parts)): file
        for file in folder.rglob("*.py")
    }
    names = {name.removesuffix(".__init__") for name in files}
    graph: dict[str, set[str]] = {}
    for name, file in files.items():
        own = name.removesuffix(".__init__")
        inside = own if file.name == "__init__.py" else own.rpartition(".")[0]
        found = set()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                path = inside.split(".")
                base = path[: len(path) + 1 - node.level]
                source = ".".join((*base, *([node.module] if node.module else [])))
                found |= {
                    inner if (inner := f"{source}.{alias.name}") in names else source
                    for alias in node.names
                }
        graph[own] = (found & names) - {own}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that import each other in a ring."""
    digraph = networkx.DiGraph([(a, b) for a, found in graph.items() for b in found])
    return sorted(
        sorted(ring) for ring in networkx.strongly_connected_components(digraph) if len(ring) > 1
    )


def room_offences(graph: dict[str, set[str]]) -> list[str]:
    """Imports from a room of `symbolic/` into one below it, by dotted name."""
    offences = []
    for name, found in graph.items():
        room = name.split(".")[1:2]
        for other in found:
            below = other.split(".")[1:2]
            if room and below and ROOMS.index(below[0]) > ROOMS.index(room[0]):
                offences.append(f"{name} imports {other}")
    return sorted(offences)


def test_rooms_import_only_rooms_above_them() -> None:
    assert room_offences(import_graph(ROOT / "symbolic", "symbolic")) == []


@pytest.mark.parametrize("package", sorted(RANK.keys() - {"templates"}))
def test_modules_do_not_import_each_other_in_circles(package: str) -> None:
    assert circles(import_graph(ROOT / package, package)) == []


def test_rooms_are_small() -> None:
    rooms = {file.parent for package in SMALL for file in (ROOT / package).rglob("*.py")}
    sizes = {room.name: len(list(room.glob("*.py"))) for room in rooms}
    assert {name: size for name, size in sizes.items() if size > LARGEST_ROOM} == {}


def test_a_planted_circle_and_a_wrong_room_are_seen(tmp_path: Path) -> None:
    for name, text in {
        "language/program.py": "from ..tree import writer",
        "tree/writer.py": "from ..language.program import Program",
        "tree/__init__.py": "",
        "plans/plan.py": "from ..tree.writer import Writer",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    graph = import_graph(tmp_path, "symbolic")
    assert circles(graph) == [["symbolic.language.program", "symbolic.tree.writer"]]
    assert len(room_offences(graph)) == 2


def test_modules_import_only_core_dependencies_at_the_top() -> None:
    """Extras are imported where they are used, so that the package works without them."""
    known = {*sys.stdlib_module_names, *DEPENDENCIES, "mstmm"}
    strangers = [
        f"{file.relative_to(ROOT)}: {name}"
        for package, file in modules()
        for node in ast.parse(file.read_text()).body
        for name in imported(ast.Module([node], []), package)
        if isinstance(node, ast.Import | ast.ImportFrom) and name.partition(".")[0] not in known
    ]
    assert strangers == []


def test_importing_the_package_is_light() -> None:
    heavy = ("sympy", "numpy", "cffi", "jinja2", "platformdirs", "filelock", "typer", "networkx")
    heavy += ("torch", "jax")
    code = textwrap.dedent(
        f"""
        import sys
        import mstmm
        print([name for name in {heavy!r} if name in sys.modules])
        """
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


# The wheel


def copy_of_the_sources(target: Path) -> Path:
    target.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, target / name)
    for folder in FOLDERS.values():
        shutil.copytree(
            folder,
            target / folder.relative_to(ROOT),
            ignore=shutil.ignore_patterns("__pycache__", ".*"),
        )
    return target


def wheel_of(sources: Path) -> Path:
    """Built in place by the build backend itself: nothing is fetched."""
    code = "import setuptools.build_meta as backend; backend.build_wheel('dist')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=sources, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return next((sources / "dist").glob("*.whl"))


def in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def in_folders(sources: Path) -> set[str]:
    return {
        f"{package.replace('.', '/')}/{file.relative_to(sources / folder).as_posix()}"
        for package, folder in SETUPTOOLS["package-dir"].items()
        for file in (sources / folder).rglob("*")
        if file.is_file() and not any(part.endswith(".egg-info") for part in file.parts)
    }


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_the_sources(tmp_path_factory.mktemp("wheel") / "sources")


@pytest.fixture(scope="module")
def wheel(sources: Path) -> Path:
    return wheel_of(sources)


def test_wheel_holds_what_the_folders_hold(sources: Path, wheel: Path) -> None:
    assert in_wheel(wheel) == in_folders(sources)
    assert "mstmm/py.typed" in in_wheel(wheel)


def test_wheel_works_by_itself(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = "".join(f"import {package}; print({package}.__file__)\n" for package in FOLDERS)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert all(Path(line).is_relative_to(tmp_path) for line in done.stdout.splitlines())


def test_wheel_has_a_new_package_and_no_folder_that_is_none(tmp_path: Path) -> None:
    """An algorithm's folder needs no line elsewhere to be shipped."""
    sources = copy_of_the_sources(tmp_path / "sources")
    for name in ("planted", "bare"):
        (sources / "model" / name).mkdir()
        (sources / "model" / name / "inside.py").touch()
    (sources / "model" / "planted" / "__init__.py").touch()
    planted = {f"mstmm/model/planted/{name}.py" for name in ("__init__", "inside")}
    new = in_wheel(wheel_of(sources))
    assert {name for name in new if "planted" in name or "bare" in name} == planted
    assert all((folder / "__init__.py").is_file() for folder in FOLDERS.values())


def test_what_is_cached_goes_by_every_folder() -> None:
    """A folder that no key reads could change without a record being made anew."""
    assert {*cache._DERIVING, *cache._AROUND} == set(FOLDERS)


def test_generated_is_no_package() -> None:
    assert not list((ROOT / "generated").rglob("__init__.py"))


@pytest.mark.skipif(
    not (ROOT / "typings").exists(), reason="a source archive has no links for type checkers"
)
def test_type_checkers_see_every_folder() -> None:
    links = ROOT / "typings" / "mstmm"
    for package, folder in FOLDERS.items():
        if package == "mstmm":
            assert {file.name for file in links.iterdir() if file.is_file()} == {
                file.name for file in folder.iterdir() if file.is_file()
            }
        else:
            assert (links / package.removeprefix("mstmm.")).resolve() == folder


# The public face


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Exported functions and classes, and the public methods of the classes."""
    for package in FOLDERS:
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if isinstance(thing, type | types.FunctionType):
                yield f"{package}.{name}", thing
            if isinstance(thing, type) and thing.__module__.startswith("mstmm"):
                for method, attribute in vars(thing).items():
                    function = getattr(attribute, "fget", getattr(attribute, "__func__", attribute))
                    if isinstance(function, types.FunctionType) and not method.startswith("_"):
                        yield f"{package}.{name}.{method}", function


def raised(function: Callable[..., Any]) -> set[str]:
    """The names of mstmm's errors that the body of a function raises itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    names = {
        call.func.id
        for call in calls
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    }
    return {name for name in names if hasattr(mstmm.errors, name)}


def section(docstring: str, heading: str) -> str:
    """The indented text under a heading that stands alone on its line."""
    found = re.search(rf"^{heading}\n((?:    .*\n|\n)+)", docstring + "\n", re.MULTILINE)
    return found[1] if found else ""


def docstring_offences(name: str, thing: Callable[..., Any]) -> list[str]:
    docstring = inspect.getdoc(thing) or ""
    if not thing.__doc__ or not docstring:
        return [f"{name} has no docstring"]
    offences = []
    summary = docstring.split("\n\n")[0]
    if "\n" in summary or not summary.endswith((".", ":", "?")):
        offences.append(f"{name}: the summary is one line, and a sentence: {summary!r}")
    if isinstance(thing, types.FunctionType):
        unnamed = {error for error in raised(thing) if error not in section(docstring, "Raises")}
        offences += [f"{name} raises {error} and does not say so" for error in sorted(unnamed)]
    return offences


def test_what_is_exported_is_documented() -> None:
    assert [
        offence for name, thing in public() for offence in docstring_offences(name, thing)
    ] == []


def test_a_missing_docstring_or_section_is_seen() -> None:
    def bare() -> None: ...

    def raises() -> None:
        """It raises and does not say so."""
        raise UsageError("x")

    def says() -> None:
        """It says what it raises.

        Raises
            UsageError: always.
        """
        raise UsageError("x")

    assert len(docstring_offences("bare", bare)) == 1
    assert len(docstring_offences("raises", raises)) == 1
    assert docstring_offences("says", says) == []


def test_the_face_says_where_its_formulas_come_from() -> None:
    for name in ("load", "derive", "compile", "validate"):
        docstring = inspect.getdoc(getattr(mstmm, name)) or ""
        assert section(docstring, "Source"), name
        assert section(docstring, "Raises"), name


def test_every_error_is_on_the_face_and_has_an_exit_code() -> None:
    errors = {
        name: thing
        for name, thing in vars(mstmm.errors).items()
        if isinstance(thing, type) and issubclass(thing, Exception)
    }
    assert set(errors) <= set(mstmm.__all__)
    coded = [error for error in errors.values() if not issubclass(error, Warning)]
    assert {error.exit_code for error in coded} == {1, 2, 3}


# The papers of the house


def readme_commands() -> list[str]:
    """The commands that a newcomer pastes: the first two shell blocks."""
    return re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[:2]


def test_readme_commands_are_single_lines() -> None:
    demo, test = readme_commands()
    for command in (demo, test):
        assert command.count("\n") == 1, command
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        extras = re.findall(r"\.\[(.*?)\]", command)
        assert set(extras) <= set(PROJECT["project"]["optional-dependencies"])
    assert demo.rstrip().endswith("&& .venv/bin/mstmm demo")
    assert "&& .venv/bin/pytest" in test
    assert "mstmm" in PROJECT["project"]["scripts"]


def test_ci_runs_the_readme_command() -> None:
    pattern = re.search(r"grep -E '(.*?)' README.md", (ROOT / ".ci" / "run").read_text())
    assert pattern
    lines = (ROOT / "README.md").read_text().splitlines()
    assert [line for line in lines if re.search(pattern[1], line)] == [
        readme_commands()[1].rstrip()
    ]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_long_tests_are_in_files_that_are_there() -> None:
    """Where a file is moved, its tests would run with the quick ones."""
    files = {name.partition("::")[0] for name in json.loads(long_tests.RECORD.read_text("utf-8"))}
    assert [name for name in files if not (ROOT / name).is_file()] == []


def test_readme_names_every_folder() -> None:
    text = (ROOT / "README.md").read_text()
    top = (file.parent for file in ROOT.glob("[a-z]*/*") if file.suffix in (".py", ".md", ".toml"))
    for folder in {*FOLDERS.values(), *top} - {ROOT / "src", ROOT / "build"}:
        assert f"`{folder.relative_to(ROOT).as_posix()}/`" in text


def test_the_version_is_one() -> None:
    assert f"\nversion: {mstmm.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {mstmm.__version__}" in (ROOT / "CHANGELOG.md").read_text()
