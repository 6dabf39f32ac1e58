"""Pages in a real browser: drawn, narrow enough, light to open; axe-core finds nothing wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsers import opened, seen_by

import mstmm
from mstmm.model import MODELS
from mstmm.report.derivation import derivation_document
from mstmm.report.documents.html import html
from mstmm.report.element import element_html
from mstmm.report.ledgerpages import ledger_pages
from mstmm.report.overallpage import overall_page
from mstmm.report.state import state_of
from mstmm.symbolic.ledgers.papers import entries
from mstmm.symbolic.pages.catalogue import element_page

pytestmark = pytest.mark.browser

#: The most nodes before anything is opened.
NODES = 15_000

#: Opens all that is folded, and looks if all of it is there and drawn.
OPENED = """
const all = selector => [...document.querySelectorAll(selector)];
const shown = node => node.getBoundingClientRect().width > 0;
document.getElementById("open-all")?.click();
return {
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


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    ledger = ledger_pages([e for e in entries("divide-and-conquer") if e.equation in "1234"])
    run = mstmm.compile("double-pendulum", target="numpy").simulate(t_end=0.2, dt=1e-2)
    return {
        "branch": derivation("branch-pendulum"),
        "loop": derivation("four-bar"),
        "ledger": ledger["divide-and-conquer.html"],
        "errata": ledger["errata.html"],
        "film": run.animate().html,
        "element": element_html(element_page("pin", 2)),
        "overall": overall_page(mstmm.derive("four-bar").overall),
    }


@pytest.mark.parametrize(
    ("name", "width", "dark"),
    [
        ("branch", 1280, False),
        ("branch", 1280, True),
        ("loop", 390, False),
        ("ledger", 390, True),
        pytest.param("errata", 1280, False, marks=pytest.mark.slow),
        ("film", 390, True),
        pytest.param("element", 390, False, marks=pytest.mark.slow),
        ("overall", 390, True),
    ],
)
def test_a_page_is_drawn_and_breaks_no_rule(
    pages: dict[str, str], tmp_path: Path, name: str, width: int, dark: bool
) -> None:
    report = opened(pages[name], tmp_path, width, dark, OPENED)
    assert report["violations"] == {}
    assert report["complaints"] == []
    assert (report["fetched"], report["wide"], report["page"]) == (0, 0, width)
    assert report["nodes"] <= NODES
    used = report["used"]
    assert (used["closed"], used["templates"], used["unseen"], used["lost"]) == (0, 0, 0, 0)
    assert used["formulas"] > 30 or name in ("ledger", "errata", "film")


#: What is changed in a page, and the rule of axe-core that it breaks then.
OFFENCES = (
    ('<main id="main"', '<div id="main"', "landmark-one-main"),
    ("--soft: #5b6570;", "--soft: #b0b0b0;", "color-contrast"),
    ('tabindex="0" role="group" aria-label="code"', "", "scrollable-region-focusable"),
    ("<h2>", "<h4>", "heading-order"),
    ('<html lang="en">', "<html>", "html-has-lang"),
    ('aria-label="Contents"', 'aria-labelled="Contents"', "aria-valid-attr"),
)


def test_planted_offences_are_seen(pages: dict[str, str], tmp_path: Path) -> None:
    page = pages["branch"]
    for before, after, _ in OFFENCES:
        assert before in page
        page = page.replace(before, after)
    found = {rule.split(": ")[1] for rule in opened(page, tmp_path, 390)["violations"]}
    assert {rule for *_, rule in OFFENCES} - found == set()


#: What a phone has before and after all is opened. Axe-core takes minutes of the largest pages.
LIGHT = """<script>
addEventListener("load", () => setTimeout(() => {
  const nodes = () => document.querySelectorAll("*").length, root = document.documentElement;
  const before = nodes(), paint = performance.getEntriesByName("first-contentful-paint")[0];
  document.getElementById("open-all").click();
  const wide = root.scrollWidth - root.clientWidth;
  seen({ before, after: nodes(), wide, paint: paint ? paint.startTime : 0 });
}, 300));
</script>"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "algorithm"), [*((name, "riccati") for name in MODELS), ("example-2", "overall")]
)
def test_every_page_is_light_on_a_phone(tmp_path: Path, name: str, algorithm: str) -> None:
    page = derivation(name, algorithm)
    report = seen_by(page.replace("</head>", f"{LIGHT}</head>", 1), tmp_path, 390)
    assert len(page) < 3_000_000
    assert report["before"] <= NODES
    assert report["after"] >= report["before"]
    assert report["paint"] < 1000
    assert (report["wide"], report["complaints"]) == (0, [])
