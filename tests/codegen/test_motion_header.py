"""Motions in C as the header says: its example as it stands, and what is found missing."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from compiler import COMPILER, needs_compiler
from places import DATA, ROOT

import mstmm
from mstmm.codegen.generate import generate
from mstmm.codegen.toolchain import Compiler
from mstmm.exchange.exports.export import export
from mstmm.model import Model

pytestmark = needs_compiler

FLAGS = ("-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", "-DMSTMM_IMPLICIT=0")

#: How a program hands over a state and what is constant on its way.
START = """
static const double p[] = GANTRY_DEFAULT_P;
static const double q[] = {0.0, 0.1, 0.2, 0.0}, v[4] = {0.0}, tau[4] = {0.0};
static const double *const given[] = {tau, p};
"""


@pytest.fixture(autouse=True)
def quickly_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MSTMM_CFLAGS", "-O0")


def gantry() -> Model:
    return mstmm.load(DATA / "cases" / "gantry.toml")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the gantry's project, with the library's objects in it."""
    folder = tmp_path_factory.mktemp("project")
    for name, content in export(gantry(), "cmake").items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    compiled(folder / "gantry", "-c", *sorted((folder / "gantry" / "src").glob("*.c")))
    return folder / "gantry"


def compiled(folder: Path, *arguments: object) -> None:
    assert isinstance(COMPILER, Compiler)
    command = [*COMPILER.command, *FLAGS, "-Iinclude", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def said(project: Path, text: str | Path, *arguments: str) -> list[str]:
    """The lines that a program of the project's library prints."""
    if isinstance(text, str):
        (project / "program.c").write_text(text)
        text = project / "program.c"
    objects = [path.name for path in project.glob("*.o")]
    compiled(project, text, *objects, "-lm", "-o", "program")
    done = subprocess.run(
        [project / "program", *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.splitlines()


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def example(project: Path) -> str:
    """The example in the head of the header."""
    header = (project / "include" / "mstmm_motion.h").read_text()
    (text,) = re.findall(r"recorded every 0\.1 s:\n \*\n((?: \*     .*\n)+)", header)
    return re.sub(r"^ \*     ", "", text, flags=re.MULTILINE)


def test_the_page_shows_it(project: Path) -> None:
    page = (ROOT / "docs" / "generated-c.md").read_text(encoding="utf-8")
    assert f"```c\n{example(project).replace('NAME', 'branch_pendulum')}```" in page


def test_the_example_in_the_header_runs_as_it_stands(project: Path) -> None:
    """Its text, with the model's name: it had never ended."""
    text = example(project).replace("NAME", "gantry")
    program = f"""
        #include "gantry.h"
        #include <stdio.h>
        #include <stdlib.h>
        {START}
        int main(void)
        {{
        {text}
            printf("%s\\n%d %ld\\n", missing ? missing : "", m.state[0], m.recorded[0]);
            for (int k = 0; k < 101; k++) {{
                for (int j = 0; j < 4; j++) {{
                    printf("%.17g ", run_q[4 * k + j]);
                }}
                printf("\\n");
            }}
            free(memory), free(run_q), free(run_v);
            return 0;
        }}
    """
    missing, ended, *rows = said(project, program)
    assert missing == ""
    assert ended == "0 101"
    run = mstmm.compile(gantry()).simulate(
        [0.0, 0.1, 0.2, 0.0], [0.0] * 4, t_end=10.0, dt=1e-3, record=0.1, method="rk4"
    )
    np.testing.assert_allclose([numbers(row) for row in rows], run.q, rtol=0, atol=1e-11)


#: What is taken away of a motion that lacks nothing, and what of the answer tells it.
LACKS = {
    "m.model = 0": "model is missing",
    "states = 2": "states are not as many",
    "m.work = 0": "work or memory",
    "m.memory = 0": "work or memory",
    "m.method = 99": "method is none",
    "with = 0": "the inputs are missing",
    "m.run_v = 0": "run_q or run_v",
    "m.method = MSTMM_RADAU5": "tangents are missing",
    "m.events = 1": "watcher, direction",
    "m.controllers = 1": "control or run_u",
    "m.jump_count = 1": "jumps are missing",
    "m.events = 1, m.watcher = watch, m.direction = m.terminal = one, m.values = x": "room is",
    "m.events = m.room = 1, m.watcher = watch, m.direction = m.terminal = one, m.values = x": (
        "found_t, found_q"
    ),
    "m.whole = 0": "start + whole dt + rest",
    "m.end = 20.0": "start + whole dt + rest",
    "m.dt = 0.0": "dt is the length",
    "m.stride = 0": "stride is 0",
    "m.records = 100": "records are too few",
    "m.method = MSTMM_DOPRI5, m.rtol = m.atol = 0.0": "rtol and atol",
    "m.method = MSTMM_DOPRI5, m.end = -1.0": "before `start`",
    "m.method = MSTMM_DOPRI5": "times are missing",
}


def test_what_is_missing_is_said(project: Path) -> None:
    """In words, instead of a motion that goes on for ever or writes where nothing is."""
    cases = "\n".join(
        f"""case {k}: {{ {lack}; break; }}""" for k, lack in enumerate(LACKS, start=1)
    )
    program = f"""
        #include "gantry.h"
        #include <stdio.h>
        #include <stdlib.h>
        {START}
        static int watch(double t, const double *a, const double *b, double *values, void *data)
        {{
            (void)a, (void)b, (void)data;
            values[0] = t - 100.0;
            return 0;
        }}
        int main(void)
        {{
            static gantry_work w;
            static double memory[4000], run_q[4 * 102], run_v[4 * 102], x[4];
            static const int one[1] = {{1}};
            if (mstmm_memory(&gantry_model) > 4000) {{
                return 1;
            }}
            for (int k = 0; k <= {len(LACKS)}; k++) {{
                mstmm_motion m = {{
                    .model = &gantry_model, .work = &w, .memory = memory, .method = MSTMM_RK4,
                    .end = 1.0, .dt = 1e-2, .whole = 100, .stride = 1, .records = 101,
                    .rtol = 1e-6, .atol = 1e-6, .run_q = run_q, .run_v = run_v
                }};
                int states = 1;
                const double *const *with = given;
                switch (k) {{
                {cases}
                }}
                const char *const missing = mstmm_begin(&m, states, q, v, with);
                if (missing && m.model && mstmm_advance(&m, 10)) {{
                    return 2;
                }}
                (void)watch, (void)x, (void)one;
                printf("%s\\n", missing ? missing : "nothing");
            }}
            return 0;
        }}
    """
    nothing, *found = said(project, program)
    assert nothing == "nothing"
    for words, wanted in zip(found, LACKS.values(), strict=True):
        assert wanted in words


def printed(lines: list[str]) -> list[list[float]]:
    return [numbers(line.split("q =")[1]) for line in lines if "q =" in line]


def test_the_example_of_an_export_integrates_a_motion(project: Path) -> None:
    """With the parameters' values that the header has."""
    found = printed(said(project, project / "example" / "example_main.c"))
    tight = {"method": "dopri5", "rtol": 1e-9, "atol": 1e-9}
    run = mstmm.compile(gantry()).simulate(t_end=1.0, record=0.1, **tight)
    np.testing.assert_allclose(found, run.q, rtol=0, atol=1e-8)


def test_so_does_that_of_closed_loops(tmp_path: Path) -> None:
    """From where they are closed, with room for the singular positions that they pass."""
    model = mstmm.load("four-bar")
    (tmp_path / "include").mkdir()
    for name, text in generate(model, target="c").sources.files.items():
        (tmp_path / name).write_text(text)
    sources = sorted(path for path in tmp_path.glob("*.c") if path.name != "example_main.c")
    compiled(tmp_path, "-c", *sources)
    found = printed(said(tmp_path, tmp_path / "example_main.c"))
    run = mstmm.compile(model).simulate(
        t_end=1.0, record=0.1, method="dopri5", rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(found, run.q, rtol=0, atol=1e-6)
