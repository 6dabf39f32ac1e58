"""What a release says of itself in several files is the same in all."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import mstmm

yaml = pytest.importorskip("yaml", reason="needs PyYAML")
ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def test_the_version_is_that_of_the_package() -> None:
    """`mstmm.__version__` is the one place; what cannot read it says the same."""
    assert PROJECT["dynamic"] == ["version"]
    assert read("CITATION.cff")["version"] == mstmm.__version__
    assert read("packaging/conda/recipe.yaml")["context"]["version"] == mstmm.__version__
    log = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## {re.escape(mstmm.__version__)}\b", log, re.MULTILINE)


def test_the_conda_recipe_needs_what_the_wheel_needs() -> None:
    recipe = read("packaging/conda/recipe.yaml")
    spaced = [re.sub(r"(?<=\w)(?=[><=])", " ", each) for each in PROJECT["dependencies"]]
    python = f"python {PROJECT['requires-python']}"
    assert sorted(recipe["requirements"]["run"]) == sorted([python, *spaced])
    assert recipe["build"]["python"]["entry_points"] == ["mstmm = mstmm.cli:main"]
    assert recipe["about"]["license"] == PROJECT["license"]


def test_the_workflow_runs_the_versions_that_the_project_names() -> None:
    flow = read(".github/workflows/ci.yml")
    assert flow["jobs"]["tests"]["strategy"]["matrix"]["python"] == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    told = [x for x in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d", x)]
    assert told == [f"Programming Language :: Python :: {each}" for each in PYTHONS]
    extras = set(PROJECT["optional-dependencies"])
    steps = [step.get("run", "") for job in flow["jobs"].values() for step in job["steps"]]
    asked = {
        x for step in steps for found in re.findall(r"\[([\w,]+)\]", step) for x in found.split(",")
    }
    assert asked
    assert asked <= extras


def test_the_citation_names_the_license_and_every_paper() -> None:
    citation = read("CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["license"] == PROJECT["license"]
    assert all(
        {"type", "title", "authors", "year"} <= each.keys() for each in citation["references"]
    )
    assert {"message", "title", "authors"} <= citation.keys()
