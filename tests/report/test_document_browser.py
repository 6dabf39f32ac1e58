"""Documents in a real browser: drawn, narrow enough, light to open, and usable by keyboard and ear.

The rules are those of axe-core that such pages can break, by their names there.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import mstmm
from mstmm.report.derivation import derivation_document
from mstmm.report.documents.html import html
from mstmm.report.ledgerpages import ledger_pages
from mstmm.report.state import state_of
from mstmm.symbolic.ledgers.papers import entries

pytestmark = pytest.mark.browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")

#: The most nodes before anything is opened.
NODES = 15_000

PROBE = """
<script>
const complaints = [];
addEventListener("error", event => complaints.push(String(event.message)), true);
addEventListener("load", () => {
  const all = (selector, within) => [...(within || document).querySelectorAll(selector)];
  const box = node => node.getBoundingClientRect();
  const shown = node => box(node).width > 0 && box(node).height > 0;
  const nodes = all("*").length;
  const found = {};
  const offends = (rule, node) => {
    (found[rule] = found[rule] || []).push(node.outerHTML.slice(0, 160));
  };
  const check = () => {
    if (all("main").length !== 1) offends("landmark-one-main", document.body);
    if (!document.documentElement.lang) offends("html-has-lang", document.body);
    if (!document.title.trim()) offends("document-title", document.body);
    const ids = all("[id]").map(node => node.id);
    ids.forEach((id, k) => { if (ids.indexOf(id) !== k) offends("duplicate-id", all("[id]")[k]); });
    let level = 0;
    all("h1, h2, h3, h4").forEach(node => {
      const own = Number(node.tagName[1]);
      if (own > level + 1) offends("heading-order", node);
      level = own;
    });
    if (all("h1").length !== 1) offends("page-has-heading-one", document.body);
    all("main p a, main td a").filter(shown).forEach(node => {
      if (!getComputedStyle(node).textDecorationLine.includes("underline"))
        offends("link-in-text-block", node);
    });
    all("a[href^='#']").forEach(node => {
      const id = node.getAttribute("href").slice(1);
      if (!document.getElementById(id)) offends("skip-link", node);
    });
    all("a, button, summary").forEach(node => {
      if (!node.textContent.trim()) offends("link-name", node);
    });
    all("input").forEach(node => { if (!node.labels.length) offends("label", node); });
    all("svg[role=img]").forEach(node => {
      if (!node.querySelector("title") && !node.getAttribute("aria-label"))
        offends("svg-img-alt", node);
    });
    all("table").forEach(node => {
      if (!node.querySelector("th[scope]")) offends("th-scope", node);
    });
    all("main *").filter(shown).forEach(node => {
      const style = getComputedStyle(node);
      const scrolls = ["auto", "scroll"].includes(style.overflowX)
        && node.scrollWidth > node.clientWidth + 1;
      if (scrolls && (node.tabIndex < 0 || !node.getAttribute("aria-label")))
        offends("scrollable-region-focusable", node);
    });
    const rgb = text => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(x => x / 255)
      .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
      .reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
    const behind = node => {
      for (let at = node; at; at = at.parentElement) {
        const colour = rgb(getComputedStyle(at).backgroundColor);
        if (colour.length < 4 || colour[3] > 0) return colour;
      }
      return [255, 255, 255];
    };
    const said = new Set();
    const drawn = node => shown(node) && !node.closest("svg");
    all("main *, header *, nav *").filter(drawn).forEach(node => {
      const own = [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
      if (!own || node.closest("mtd.zero")) return;
      const colours = [rgb(getComputedStyle(node).color), behind(node)];
      const [x, y] = colours.map(light).sort((a, b) => b - a);
      const key = colours.join(";");
      if ((x + 0.05) / (y + 0.05) < 4.5 && !said.has(key)) {
        said.add(key);
        offends("color-contrast", node);
      }
    });
  };
  const before = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const unopened = all("main details").length;
  document.getElementById("open-all").click();
  check();
  const report = {
    nodes, unopened, found, complaints,
    after: all("*").length,
    closed: all("main details:not([open])").length,
    templates: all("main template").length,
    wide: [before, document.documentElement.scrollWidth - document.documentElement.clientWidth],
    unseen: all("math").filter(node => !shown(node)).length,
    formulas: all("math").length,
    fetched: performance.getEntriesByType("resource").length,
  };
  const out = document.createElement("script");
  out.type = "application/json";
  out.id = "report";
  out.textContent = JSON.stringify(report).replaceAll("<", "\\\\u003c");
  document.body.append(out);
});
</script>
"""


def opened(source: str, folder: Path, width: int, dark: bool) -> dict:
    """What the probe reports of a page."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"no browser is here to open the page: none of {', '.join(BROWSERS)} on PATH")
    if dark:
        source = source.replace("(prefers-color-scheme: dark)", "all")
    file = folder / "page.html"
    file.write_text(source.replace("<head>", f"<head>{PROBE}", 1), encoding="utf-8")
    command = [browser, *FLAGS, f"--user-data-dir={folder / 'profile'}"]
    command += [f"--window-size={width},1000", "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    found = re.search(r'<script type="application/json" id="report">(.*?)</script>', done.stdout)
    assert found, f"the browser shows nothing: {done.stderr[-2000:]}"
    return json.loads(found[1])


def derivation(name: str, algorithm: str = "riccati") -> str:
    derived = mstmm.derive(name, algorithm=algorithm)
    return html(derivation_document(derived, state_of(derived.model), "mstmm derive"))


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    ledger = ledger_pages([e for e in entries("divide-and-conquer") if e.equation in "1234"])
    return {
        "branch": derivation("branch-pendulum"),
        "loop": derivation("four-bar"),
        "ledger": ledger["divide-and-conquer.html"],
        "errata": ledger["errata.html"],
    }


@pytest.mark.parametrize(
    ("name", "width", "dark"),
    [
        ("branch", 1280, False),
        ("branch", 1280, True),
        ("loop", 390, False),
        ("ledger", 390, True),
        ("errata", 1280, False),
    ],
)
def test_a_page_is_drawn_and_breaks_no_rule(
    pages: dict[str, str], tmp_path: Path, name: str, width: int, dark: bool
) -> None:
    report = opened(pages[name], tmp_path, width, dark)
    assert report["found"] == {}
    assert report["complaints"] == []
    assert report["fetched"] == 0
    assert report["nodes"] <= NODES
    assert report["wide"] == [0, 0]
    assert (report["closed"], report["templates"], report["unseen"]) == (0, 0, 0)
    assert report["formulas"] > 40 or name in ("ledger", "errata")


#: What is changed in a page, and the rule that it breaks then.
OFFENCES = (
    ('<main id="main"', '<div id="main"', "landmark-one-main"),
    (".document a { text-decoration: underline;", ".document a {", "link-in-text-block"),
    ("--soft: #5b6570;", "--soft: #b0b0b0;", "color-contrast"),
    ('tabindex="0" role="region" aria-label="code"', "", "scrollable-region-focusable"),
    ("<h2>", "<h4>", "heading-order"),
    ("<th scope=col>", "<th>", "th-scope"),
)


def test_planted_offences_are_seen(pages: dict[str, str], tmp_path: Path) -> None:
    """All but the first at once: where there is no `main`, nothing in it is looked at."""
    (first, last, rule), *others = OFFENCES
    page = pages["branch"]
    assert all(before in page for before, *_ in OFFENCES)
    assert rule in opened(page.replace(first, last), tmp_path, 1280, False)["found"]
    for before, after, _ in others:
        page = page.replace(before, after)
    found = opened(page, tmp_path, 1280, False)["found"]
    assert {rule for *_, rule in others} <= set(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "algorithm"),
    [("spatial-tree", "riccati"), ("ball-chain:n=10", "riccati"), ("example-2", "overall")],
)
def test_large_pages_open_with_few_nodes(tmp_path: Path, name: str, algorithm: str) -> None:
    report = opened(derivation(name, algorithm), tmp_path, 1280, False)
    assert report["nodes"] <= NODES
    assert report["found"] == {}
    assert report["wide"] == [0, 0]
    assert report["after"] > report["nodes"]
