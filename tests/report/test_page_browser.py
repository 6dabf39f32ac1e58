"""The page in a real browser: formulas are drawn, not shown as source, and nothing complains."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mstmm.codegen.generate import generate
from mstmm.model import load
from mstmm.report.page import page
from mstmm.symbolic.derivation.derivation import derive

pytestmark = pytest.mark.browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
)

#: Runs before the page's own content, and reports when it is loaded.
PROBE = """
<script>
const complaints = [];
addEventListener("error", event => complaints.push(String(event.message)), true);
addEventListener("load", () => {
  const box = node => node.getBoundingClientRect();
  const shown = node => box(node).width > 0 && box(node).height > 0;
  const all = selector => [...document.querySelectorAll(selector)];
  const tables = all("mtable");
  const grid = table => {
    const rows = [...table.children].map(row => [...row.children].map(box));
    return rows.every(row => row.every((cell, j) => j === 0 || cell.left >= row[j - 1].right - 1))
      && rows.every((row, i) => i === 0 || row[0].top >= rows[i - 1][0].bottom - 1);
  };
  const stacked = ({children: [above, below]}) => box(below).top >= box(above).bottom - 2;
  const report = {
    formulas: all("math").length,
    unseen: all("math").filter(node => !shown(node)).length,
    tables: tables.length,
    crooked: tables.filter(table => !grid(table)).length,
    fractions: all("mfrac").length,
    flat: all("mfrac").filter(node => !stacked(node)).length,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    fetched: performance.getEntriesByType("resource").length,
    text: document.body.innerText,
    complaints,
  };
  const out = document.createElement("script");
  out.type = "application/json";
  out.id = "report";
  out.textContent = JSON.stringify(report).replaceAll("<", "\\\\u003c");
  document.body.append(out);
});
</script>
"""


def browser() -> str:
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    pytest.skip(f"no browser is here to open the page: none of {', '.join(BROWSERS)} is on PATH")


def opened(source: str, folder: Path, width: int = 1200) -> tuple[Mapping[str, Any], list[str]]:
    """What the probe reports of a page, and the console's messages."""
    file = folder / "page.html"
    file.write_text(source.replace("<head>", f"<head>{PROBE}", 1), encoding="utf-8")
    done = subprocess.run(
        [
            browser(),
            *FLAGS,
            f"--user-data-dir={folder / 'profile'}",
            f"--window-size={width},1000",
            "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    found = re.search(r'<script type="application/json" id="report">(.*?)</script>', done.stdout)
    assert found, f"the browser shows nothing: {done.stderr[-2000:]}"
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(found[1]), console


@pytest.fixture(scope="module")
def source() -> str:
    browser()
    model = load("branch-pendulum")
    return page(derive(model), generate(model))


@pytest.mark.parametrize("width", [1200, 500])
def test_formulas_are_drawn(source: str, tmp_path: Path, width: int) -> None:
    report, console = opened(source, tmp_path, width)
    assert console == []
    assert report["complaints"] == []
    assert report["fetched"] == 0
    assert report["formulas"] > 100
    assert report["tables"] > 60
    assert report["fractions"] > 100
    for trouble in ("unseen", "crooked", "flat", "wide"):
        assert report[trouble] == 0, trouble
    assert not re.search(r"</?m[a-z]+>|\\frac|&\w+;|Matrix\(", report["text"])


def test_formulas_as_source_text_would_be_seen(source: str, tmp_path: Path) -> None:
    """What the test above looks at does change when formulas are not drawn."""
    as_text = source.replace("<math", "&lt;math", 3)
    flat = as_text.replace("</style>", "mfrac, mtr, mtd { display: inline !important }</style>", 1)
    noisy = flat.replace("</body>", "<script>missing()</script></body>", 1)
    report, console = opened(noisy, tmp_path)
    assert "<math" in report["text"]
    assert report["crooked"] > 0
    assert report["complaints"]
    assert len(console) == 1
