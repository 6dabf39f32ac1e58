"""Pages in a real browser: drawn, narrow enough, light to open; axe-core finds nothing wrong."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from browsers import opened, pictured, seen_by
from commands import children, command
from places import EXAMPLES

import mstmm
from mstmm.model import MODELS
from mstmm.papers import ledger
from mstmm.report.derivation import derivation_document
from mstmm.report.documents.html import html
from mstmm.report.element import element_document
from mstmm.report.environment import environment
from mstmm.report.ledgerpages import ledger_pages
from mstmm.report.overall import overall_document
from mstmm.report.page import compared_document
from mstmm.report.state import state_of
from mstmm.symbolic.pages.catalogue import element_page

pytestmark = pytest.mark.browser

#: The most nodes before anything is opened.
NODES = 15_000

#: Opens all that is folded, and looks if all of it is there and drawn.
OPENED = """
const all = selector => [...document.querySelectorAll(selector)];
const box = node => node.getBoundingClientRect();
const shown = node => box(node).width > 0;
const grid = table => {
  const rows = [...table.children].map(row => [...row.children].map(box));
  return rows.every(row => row.every((cell, j) => j === 0 || cell.left >= row[j - 1].right - 1))
    && rows.every((row, i) => i === 0 || row[0].top >= rows[i - 1][0].bottom - 1);
};
const stacked = ({children: [above, below]}) => box(below).top >= box(above).bottom - 2;
document.getElementById("open-all")?.click();
return {
  crooked: all("mtable").filter(table => !grid(table)).length,
  flat: all("mfrac").filter(node => !stacked(node)).length,
  after: all("*").length,
  closed: document.getElementById("open-all") ? all("main details:not([open])").length : 0,
  templates: all("main template").length,
  unseen: document.getElementById("open-all") ? all("math").filter(x => !shown(x)).length : 0,
  formulas: all("math").length,
  lost: all("a[href^='#']").filter(x => !document.getElementById(x.hash.slice(1))).length,
};
"""


def derivation(name: str, algorithm: str = "riccati") -> str:
    derived = mstmm.derive(name, algorithm=algorithm)
    return html(derivation_document(derived, state_of(derived.model), "mstmm derive"))


def judged(name: str) -> str:
    found = [e for e in ledger("divide-and-conquer").entries if e.equation in "1234"]
    return ledger_pages(found, {"divide-and-conquer": "of its first equations"}, {})[name]


def film() -> str:
    return (
        mstmm.compile("double-pendulum", target="numpy").simulate(t_end=0.2, dt=1e-2).animate().html
    )


PAGES: dict[str, Callable[[], str]] = {
    "branch": lambda: derivation("branch-pendulum"),
    "loop": lambda: derivation("four-bar"),
    "ledger": lambda: judged("divide-and-conquer.html"),
    "errata": lambda: judged("errata.html"),
    "film": film,
    "element": lambda: html(element_document(element_page("pin", 2))),
    "overall": lambda: html(overall_document(mstmm.derive("four-bar").overall)),
    "compared": lambda: html(compared_document(mstmm.derive("branch-pendulum"))),
}


@cache
def page_of(name: str) -> str:
    return PAGES[name]()


@pytest.mark.parametrize(
    ("name", "width", "dark"),
    [
        ("branch", 1280, False),
        ("loop", 390, True),
        ("ledger", 390, True),
        pytest.param("errata", 1280, False, marks=pytest.mark.slow),
        ("film", 390, True),
        pytest.param("element", 390, False, marks=pytest.mark.slow),
        ("overall", 390, True),
        pytest.param("compared", 1280, False, marks=pytest.mark.slow),
    ],
)
def test_a_page_is_drawn_and_breaks_no_rule(
    tmp_path: Path, name: str, width: int, dark: bool
) -> None:
    report = opened(page_of(name), tmp_path, width, dark, OPENED)
    assert report["violations"] == {}
    assert report["complaints"] == []
    assert (report["fetched"], report["wide"], report["page"]) == (0, 0, width)
    assert report["nodes"] <= NODES
    used = report["used"]
    troubles = ("closed", "templates", "unseen", "lost", "crooked", "flat")
    assert [used[trouble] for trouble in troubles] == [0] * len(troubles)
    assert used["formulas"] > 30 or name in ("ledger", "errata", "film")


#: What is changed in a page, and the rule of axe-core that it breaks then.
OFFENCES = (
    ('<main id="main"', '<div id="main"', "landmark-one-main"),
    ("--soft: #5b6570;", "--soft: #b0b0b0;", "color-contrast"),
    ('tabindex="0" role="group" aria-label="formula"', "", "scrollable-region-focusable"),
    ("<h2>", "<h4>", "heading-order"),
    ('<html lang="en">', "<html>", "html-has-lang"),
    ('aria-label="Contents"', 'aria-labelled="Contents"', "aria-valid-attr"),
)


def test_planted_offences_are_seen(tmp_path: Path) -> None:
    page = page_of("branch")
    for before, after, _ in OFFENCES:
        assert before in page
        page = page.replace(before, after)
    found = {rule.split(": ")[1] for rule in opened(page, tmp_path, 390)["violations"]}
    assert {rule for *_, rule in OFFENCES} - found == set()


#: Uses a page as a reader does: searches, goes to what was found, opens the first part of every
#: section. What is left folded is made of the same blocks, and takes axe-core minutes.
READ = """
const all = selector => [...document.querySelectorAll(selector)];
const shown = node => node.getBoundingClientRect().height > 0;
const press = (name, more) => field.dispatchEvent(new Event(name, { bubbles: true, ...more }));
const field = document.getElementById("find"), count = document.getElementById("count");
const find = words => { field.value = words; press("input"); return parseInt(count.textContent); };
const parts = all("main > section").length;
const nothing = find("no such words are here"), left = all("main > section").filter(shown).length;
const found = find("ACCELERATION");
field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
const opened = all("main details[open]").length;
field.value = "", press("input");
const back = all("main > section").filter(shown).length;
all("main > section").forEach(section => {
  for (const fold of [...section.querySelectorAll(":scope > details")].slice(0, 1)) open(fold);
});
await new Promise(resolve => setTimeout(resolve, 0));
document.getElementById("open-all").id = "leave-them-closed";
const lost = all("a[href^='#']").filter(x => !document.getElementById(x.hash.slice(1))).length;
return { parts, nothing, left, found, opened, back, lost };
"""

#: Ticks of some ranges, and what is shown of some values.
TICKS = """<script>
const written = (low, high) => ticks(low, high).map(([, words]) => words);
seen({
  angle: written(-Math.PI, Math.PI), small: written(0, 0.00047), far: written(1230, 1234),
  zero: [spread([0, 0]), written(...spread([0, 0]))],
  constant: [spread([9.80665, 9.80665]), written(...spread([9.80665, 9.80665]))],
  below: spread([-2, -2]), moving: spread([1, 3]), none: spread([]),
});
</script>"""


def test_graphs_have_round_ticks_of_constants_too(tmp_path: Path) -> None:
    script = environment().get_template("html/graph.js.jinja").render()
    page = f"<html><head></head><body><script>{script}</script>{TICKS}</body></html>"
    report = seen_by(page, tmp_path)
    assert report["angle"] == ["−2", "0", "2"]
    assert report["small"] == ["0", "0.0002", "0.0004"]
    assert report["far"] == ["1230", "1231", "1232", "1233", "1234"]
    assert report["zero"] == [[-1, 1], ["−1", "−0.5", "0", "0.5", "1"]]
    assert report["constant"][1] == ["0", "5", "10", "15"]
    assert report["below"] == [-4, 0]
    assert report["moving"] == [0.88, 3.12]
    assert report["complaints"] == []


#: Chooses an entry; follows a link to a step of another; searches.
CHOSEN = """<script>
addEventListener("load", async () => {
const all = selector => [...document.querySelectorAll(selector)];
const names = () => all("main > section[data-of]").filter(x => x.offsetHeight).map(x => x.id);
const first = names();
document.querySelector("label[for=tab-energy]").click();
const energy = names(), contents = all("nav li[data-of]").filter(x => x.offsetHeight).length;
location.hash = "#result-poses";
await new Promise(resolve => setTimeout(resolve, 50));
const linked = names();
document.getElementById("find").value = "pose";
document.getElementById("find").dispatchEvent(new Event("input", { bubbles: true }));
seen({ first, energy, contents, linked, every: document.getElementById("tab-all").checked });
});
</script>"""


def test_a_tab_shows_the_steps_of_its_entry(tmp_path: Path) -> None:
    program = mstmm.derive("four-bar").program()
    used = seen_by(page_of("loop").replace("</head>", f"{CHOSEN}</head>", 1), tmp_path)
    assert used["complaints"] == []
    names = {entry.name: entry.steps for entry in program.entries}

    def steps(shown: list[str]) -> set[str]:
        return {x.removeprefix("step-") for x in shown if x.startswith("step-")}

    assert steps(used["first"]) == {*names["letters"]} | {*names["joint_loads"]}
    assert steps(used["energy"]) == {*names["energy"]}
    assert "result-energy" in used["energy"]
    assert used["contents"] == len(used["energy"])
    assert {*used["linked"]} == {*used["energy"], "result-poses"}
    assert used["every"]


#: Seconds of processor time and bytes that a page may take, derived from nothing.
SECONDS, BYTES = 20.0, 3_000_000


def panda() -> Path:
    """The robot of the package example-robot-data."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        pytest.skip("needs the extra robots (example-robot-data)")
    return Path(str(next(f for f in files if f.name == "panda.urdf").locate()))


#: Of exact beams, which `riccati` does not take.
EXACT = ("portal-frame", "spatial-frame", "flexible-arm", "ross-rotor")

WHOLE = [
    *((name, "riccati") for name in MODELS if name not in EXACT),
    *((path.name, "riccati") for path in sorted(EXAMPLES.glob("*.toml"))),
    ("panda", "riccati"),
    ("example-2", "overall"),
    ("hdca-case-1", "dca"),
    ("hdca-case-2", "hdca"),
    ("spatial-tree", "rnea-hybrid"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "algorithm"), WHOLE)
def test_every_page_is_made_soon_and_read_on_a_desk_and_a_phone(
    tmp_path: Path, name: str, algorithm: str
) -> None:
    """From a cold cache by the command; with MSTMM_SCREENSHOTS=DIR pictures are left there."""
    model = panda() if name == "panda" else EXAMPLES / name if name.endswith(".toml") else name
    path = tmp_path / "derivation.html"
    before = children()
    done = command(
        "derive", model, "--algorithm", algorithm, "--format", "html", "-o", path,
        MSTMM_CACHE_DIR=str(tmp_path / "cache"),
    )  # fmt: skip
    seconds = children() - before
    assert done.returncode == 0, done.stderr
    page = path.read_text("utf-8")
    desk, phone = (opened(page, tmp_path, width, use=READ) for width in (1280, 390))
    print(f"{name} {algorithm}: {seconds:.1f} s, {len(page) / 1e6:.2f} MB, {desk['nodes']} nodes")
    pictured(page, tmp_path, f"{Path(name).stem}-{algorithm}")
    assert seconds < SECONDS
    assert path.stat().st_size < BYTES
    for report, width in ((desk, 1280), (phone, 390)):
        assert report["violations"] == {}
        assert report["complaints"] == []
        assert (report["fetched"], report["wide"], report["page"]) == (0, 0, width)
        assert report["nodes"] <= NODES
        used = report["used"]
        assert (used["nothing"], used["left"], used["lost"]) == (0, 0, 0)
        assert used["found"] > 0
        assert used["opened"] > 0
        assert used["back"] == used["parts"] > 4


#: When a phone has drawn something, by the clock: of no use on a machine that others load.
LIGHT = """<script>
addEventListener("load", () => setTimeout(() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  seen({ paint: paint ? paint.startTime : 0 });
}, 300));
</script>"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["branch-system", "delta-robot", "spatial-tree"])
def test_the_largest_pages_are_drawn_within_a_second(tmp_path: Path, name: str) -> None:
    if os.getloadavg()[0] > 2 * (os.cpu_count() or 1):
        pytest.skip("others load this machine: the clock says nothing")
    page = derivation(name)
    report = seen_by(page.replace("</head>", f"{LIGHT}</head>", 1), tmp_path, 390)
    assert report["paint"] < 1000
