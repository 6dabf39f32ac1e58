"""Interactive pages: their numbers are the emitted C's bit by bit, and they can be used."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from browsers import opened, seen_by
from cffi import FFI
from commands import command
from compiler import needs_compiler

import mstmm
from mstmm.codegen.emit import Sources
from mstmm.codegen.generate import generate
from mstmm.codegen.targets.c.webassembly import reactor_source
from mstmm.codegen.toolchain import find_compiler
from mstmm.errors import UsageError
from mstmm.report.interactive import Interactive

pytestmark = [
    needs_compiler,
    pytest.mark.skipif(not find_spec("ziglang"), reason="needs the extra cc (ziglang)"),
]
Floats = npt.NDArray[np.float64]

#: WebAssembly has no fused multiply-add; without it the bits are the same however C is compiled.
FLAGS = ("-std=c11", "-O0", "-ffp-contract=off", "-fPIC", "-shared")
STATES = 1000


@cache
def made(name: str) -> Interactive:
    found = mstmm.derive(name).interactive()
    assert isinstance(found, Interactive)
    return found


@cache
def text(name: str) -> str:
    return made(name).html("mstmm derive")


class Library:
    """The C of sources, by the compiler of this machine; `folder` may hold it already."""

    def __init__(self, sources: Sources, entries: tuple[str, ...], folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        files = {**sources.library, "reactor.c": reactor_source(sources, entries)}
        for file, content in files.items():
            place = folder / file
            assert not place.exists() or place.read_text() == content
            place.write_text(content)
        names = [file for file in files if file.endswith(".c")]
        find_compiler().compile(names, "made.so", folder=folder, flags=FLAGS)
        self.ffi, self.sizes = FFI(), sources.interface.sizes
        self.ffi.cdef(
            "int make_units(void); int close_loops(double); int move_on(double, double, int);"
            + "".join(f"double *buffer_{name}(void);" for name in self.sizes)
            + "".join(f"int run_{name}(void);" for name in entries)
        )
        self.c = self.ffi.dlopen(str(folder / "made.so"))

    def view(self, name: str) -> Floats:
        place = getattr(self.c, f"buffer_{name}")()
        return np.frombuffer(self.ffi.buffer(place, 8 * self.sizes[name]))

    def run(self, *entries: str) -> None:
        assert not any(getattr(self.c, f"run_{entry}")() for entry in entries)


def c_target(name: str, folder: Path, algorithm: str, *entries: str) -> Library:
    """What `mstmm generate --target c` writes, with the page's parameters kept."""
    page = made(name)
    kept = tuple(page.state.parameters)
    done = command(
        "generate", name, "--target", "c", "--algorithm", algorithm, "--parameters",
        ",".join(kept), "-o", folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sources = generate(page.derived.model, algorithm=algorithm, parameters=kept).sources
    assert {*sources.library} <= {path.name for path in folder.iterdir()}
    return Library(sources, entries, folder)


TARGETS = (
    ("riccati", ("a", "loads", "energy", "poses"), ("joint_loads", "energy", "poses")),
    ("overall", ("U_all", "r_all"), ("overall_equation",)),
)
SHOWN = ("letters", "poses", "energy", "drawing")
BUFFERS = ("a", "loads", "S_of", "e_of", "E2_of", "U1_of", "U2_of", "poses", "energy", "vertices")

#: Asks the page's own solver for all that it shows, at each state, and where a motion leads.
PROBE = """<script>
model.then(model => {
  const { states, buffers, steps } = JSON.parse(document.getElementById("asked").textContent);
  const known = buffers.filter(model.main.has), found = [], parts = [];
  for (const [q, v, p] of states) {
    if (!model.evaluate({ q, v, p })) throw new Error("not finite");
    for (const name of known) parts.push(model.main.view(name).slice());
    for (const name of model.overall ? ["U_all", "r_all"] : [])
      parts.push(model.overall.view(name).slice());
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0), all = new Float64Array(length);
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  const told = array => {
    const bytes = new Uint8Array(array.buffer);
    let text = "";
    for (let k = 0; k < bytes.length; k += 8190)
      text += btoa(String.fromCharCode(...bytes.subarray(k, k + 8190)));
    return text;
  };
  const start = name => data.sliders.filter(x => x.buffer === name).map(x => x.value);
  model.evaluate({ q: start("q"), v: start("v"), p: start("p"), t: 0 });
  const ends = model.go(steps);
  const moved = new Float64Array([...model.main.view("q"), ...model.main.view("v")]);
  seen({ known, numbers: told(all), ends, moved: told(moved) });
});
</script>"""


def numbers(told: str) -> Floats:
    return np.frombuffer(base64.b64decode(told), "<f8")


def states(name: str) -> list[tuple[Floats, Floats, Floats]]:
    """Random angles, speeds and parameters; loops may be open, which no number minds."""
    rng, page = np.random.default_rng(5), made(name)
    nq, nv = len(page.derived.model.coordinates), len(page.derived.model.speeds)
    p = np.array(list(page.state.parameters.values()))
    return [
        (rng.uniform(-9, 9, nq), rng.uniform(-9, 9, nv), p * rng.uniform(0.5, 2, len(p)))
        for _ in range(STATES)
    ]


@pytest.mark.browser
@pytest.mark.parametrize("name", ["branch-pendulum", "four-bar"])
def test_sliders_numbers_are_those_of_the_c_target_bit_by_bit(name: str, tmp_path: Path) -> None:
    asked = [[part.tolist() for part in state] for state in states(name)]
    given = {"states": asked, "buffers": BUFFERS, "steps": 2000}
    data = f'<script type="application/json" id="asked">{json.dumps(given)}</script>'
    report = seen_by(text(name).replace("</body>", data + PROBE + "</body>"), tmp_path)
    page = made(name)
    main = Library(page.main, page.entries, tmp_path / "main")
    assert page.overall
    names = [*report["known"], "U_all", "r_all"]
    targets = [
        (c_target(name, tmp_path / algorithm, algorithm, *entries), results, entries)
        for algorithm, results, entries in TARGETS
    ]
    expected = []
    for state in states(name):
        for of in (main, *(library for library, *_ in targets)):
            for key, values in zip("qvp", state, strict=True):
                if key in of.sizes:
                    of.view(key)[:] = values
        main.run(*SHOWN)
        # Of the C target what it computes; of the page's own entries (S, e, U, vertices) their C.
        values = {key: main.view(key) for key in report["known"]}
        for library, results, entries in targets:
            library.run(*entries)
            values |= {key: library.view(key) for key in results}
        assert [*values] == names
        expected += [value.copy() for value in values.values()]
    found = numbers(report["numbers"])
    assert len(found) > 300 * STATES
    np.testing.assert_array_equal(found.view(np.int64), np.concatenate(expected).view(np.int64))
    start = page.derived.model
    main.view("p")[:] = [*page.state.parameters.values()]
    main.view("q")[:], main.view("v")[:] = page.state.q, page.state.v
    assert main.c.move_on(0.0, 1e-3, 2000) == report["ends"] == 0
    moved = np.concatenate([main.view("q"), main.view("v")])
    np.testing.assert_array_equal(numbers(report["moved"]).view(np.int64), moved.view(np.int64))
    assert np.abs(moved[: len(start.q0)] - page.state.q).max() > 0.05


@pytest.mark.parametrize("name", ["branch-pendulum", "four-bar"])
def test_what_a_page_runs_is_what_mstmm_generates(name: str, tmp_path: Path) -> None:
    """Natively too; and what is beside it are the derivation's numbers in 30 digits."""
    page = made(name)
    main = Library(page.main, page.entries, tmp_path / "main")
    entries = ("joint_loads", "energy")
    target = c_target(name, tmp_path / "target", "riccati", *entries)
    for q, v, p in states(name)[:100]:
        for of in (main, target):
            of.view("q")[:], of.view("v")[:], of.view("p")[:] = q, v, p
        main.run("letters", "energy")
        target.run(*entries)
        for key in ("a", "loads", "energy"):
            np.testing.assert_array_equal(main.view(key), target.view(key))
    q, v, p = page.state.q, page.state.v, list(page.state.parameters.values())
    values = page.derived.at(q, v)  # at a state that closes the loops
    main.view("q")[:], main.view("v")[:], main.view("p")[:] = q, v, p
    main.run("letters")
    for letter, panel in (("S", 0), ("e", 0), ("U", 1)):
        for choice in page.shape["panels"][panel]["choices"]:
            (of,) = (matrix for matrix in choice["matrices"] if matrix["letter"] == letter)
            shape = len(of["sides"]), len(of["heads"])
            at = slice(of["at"], of["at"] + shape[0] * shape[1])
            expected = np.asarray(values[f"{letter}[{choice['name']}]"]).reshape(shape)
            scale = max(1.0, np.abs(expected).max())
            found = main.view(of["buffer"])[at].reshape(shape)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * scale)


#: Steps, drags, types, chooses, and tells what it saw.
USE = """
await model;
await new Promise(done => setTimeout(done, 200));
const picture = () => canvas.toDataURL(), at = id => document.getElementById(id);
const text = () => [...document.querySelectorAll(".numbers td")].map(x => x.textContent).join(" ");
const both = () => picture() + text(), input = (node, value, name) => {
  node.value = value;
  node.dispatchEvent(new Event(name));
};
const main = (await model).main, start = both();
at("step").click();
const stepped = both(), t = (await model).t;
document.querySelector(".graph").open = true;
const plot = () => at("graph").toDataURL(), over = (what, across) => {
  at("what").selectedIndex = what;
  at("across").selectedIndex = across;
  at("across").dispatchEvent(new Event("change"));
  return plot();
};
const before = [...main.view("q"), ...main.view("v")];
const plots = new Set([over(0, 0), over(1, 0), over(1, 1)]);
const kept = [...main.view("q"), ...main.view("v")].every((x, k) => x === before[k]);
at("reset").click();
const back = both();
const range = document.querySelector("form input[type=range]"), asked = Number(range.value) - 0.2;
input(range, asked, "input");
const apart = Math.abs(main.view("q")[0] - asked), dragged = both();
if (main.has("phi")) main.run("constraints");
const closed = main.has("phi") ? Math.max(...main.view("phi").map(Math.abs)) : 0;
const boxes = document.querySelectorAll("input[type=number]");
input(boxes[boxes.length - 1], "3.7", "change");
const typed = main.view("p").at(-1);
const choose = document.querySelector(".says select");
choose.selectedIndex = 0;
choose.dispatchEvent(new Event("change"));
at("digits").click();
const digits = Math.max(...text().split(" ").map(x => x.length));
at("digits").click();
at("play").click();
const playing = at("play").textContent;
at("play").click();
at("stop").click();
const stopped = Math.max(...main.view("v").map(Math.abs)), modes = data.modes?.modes ?? [];
let astray = 0, reset = true, vibrating = "Hold";
if (modes.length) {
  input(at("mode"), "0", "change");
  input(at("swing"), 0.3 * modes[0].most, "input");
  const aside = modes[0].q.map((x, k) => data.modes.q[k] + 0.3 * modes[0].most * x);
  astray = Math.max(...aside.map((x, k) => Math.abs(x - main.view("q")[k])));
  const first = data.sliders.filter(slider => slider.buffer === "p");
  reset = first.every(({ value }, k) => value === main.view("p")[k]);
  at("vibrate").click();
  vibrating = at("vibrate").textContent;
  at("vibrate").click();
}
return { astray, reset, vibrating, modes: modes.map(x => x.omega),
  plots: plots.size, kept, said: at("graph").getAttribute("aria-label"),
  t, apart, closed, typed, digits, playing, still: stopped,
  moves: start !== stepped, returns: start === back, drags: start !== dragged,
  status: at("status").textContent };
"""


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "width", "dark"),
    [
        ("branch-pendulum", 1280, True),
        ("four-bar", 390, False),
        pytest.param("spatial-tree", 1280, False, marks=pytest.mark.slow),
        pytest.param("example-1", 390, True, marks=pytest.mark.slow),
    ],
)
def test_a_page_is_used(name: str, width: int, dark: bool, tmp_path: Path) -> None:
    report = opened(text(name), tmp_path, width, dark, USE)
    assert report["complaints"] == []
    assert report["violations"] == {}
    assert (report["wide"], report["fetched"]) == (0, 0)
    used = report["used"]
    assert (used["moves"], used["returns"], used["drags"]) == (True, True, True)
    assert used["t"] == pytest.approx(0.01)
    assert (used["plots"], used["kept"]) == (3, True)
    first = made(name).derived.model.coordinates
    assert used["said"].startswith(f"{first[1]} over {first[0]}, from ")
    assert (used["apart"] < 1e-9, used["closed"] < 1e-11) == (True, True)
    assert (used["typed"], used["playing"], used["still"], used["status"]) == (3.7, "Pause", 0, "")
    assert used["digits"] > 15
    model = made(name).derived.model
    none = model.beams or model.absolute
    known = [] if none else mstmm.compile(model, target="numpy").modes(count=12).frequencies
    assert used["modes"] == pytest.approx([*known], abs=1e-6)
    # Where loops close, coordinates are off the straight way by the square of the swing.
    assert used["astray"] < (1e-12 if not model.cuts else 0.05)
    assert (used["vibrating"], used["reset"]) == ("Hold", True)


def test_a_page_stands_alone() -> None:
    page = text("four-bar")
    assert not re.findall(r"https?://|src=|@import|url\((?!data:)", page)
    assert len(page) < 400_000
    assert page == made("four-bar").html("mstmm derive")
    assert "</script><" not in json.dumps(made("four-bar").shape)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("double-pendulum", {"algorithm": "closed-form"}, "which closed-form does not give"),
        ("rod-chain:n=60", {}, "60 speeds; an interactive page has sliders for 40 at most"),
    ],
)
def test_what_has_no_page_says_so(name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        mstmm.derive(name, **options).interactive()
