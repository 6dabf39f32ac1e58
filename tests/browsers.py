"""Pages in headless chromium: what a script in them sees, and what axe-core finds wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")

#: A window is 500 pixels wide at least: a narrower page is drawn in a frame. What is printed in it
#: goes into the text around it, which the browser gives back.
FRAME = """<!DOCTYPE html><html lang="en"><head><title>frame</title></head><body style="margin: 0">
<iframe src="page.html" title="page" style="width: WIDTHpx; height: 1000px; border: 0"></iframe>
<script>
addEventListener("message", event => {
  const out = document.createElement("script");
  out.type = "application/json";
  out.id = "report";
  out.textContent = event.data.replaceAll("<", "\\u003c");
  document.body.append(out);
});
</script></body></html>"""

SEEN = """<script>
const complaints = [];
addEventListener("error", event => complaints.push(String(event.message)), true);
addEventListener("unhandledrejection", event => complaints.push(String(event.reason)));
const seen = report => parent.postMessage(JSON.stringify({ ...report, complaints }), "*");
</script>"""

#: Counts, uses the page, opens all of it, and lets axe-core judge it. It leaves formulas out: what
#: is in them looks as the text around does, and takes it minutes.
JUDGED = """<script>
addEventListener("load", async () => {
  const nodes = document.querySelectorAll("*").length - document.querySelectorAll(".probe").length;
  const beyond = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const before = beyond(), fetched = performance.getEntriesByType("resource").length;
  const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null;
  let used = null;
  try { used = await (async () => { USED })(); } catch (error) { complaints.push(String(error)); }
  document.getElementById("open-all")?.click();
  const rules = { "link-in-text-block": { enabled: true } };
  const options = { resultTypes: ["violations"], rules };
  const { violations } = await axe.run({ exclude: [["math"]] }, options);
  const found = {};
  for (const { id, impact, nodes } of violations)
    found[`${impact}: ${id}`] = nodes.slice(0, 3).map(node => [node.html, node.failureSummary]);
  const page = innerWidth, wide = Math.max(before, beyond());
  seen({ nodes, page, violations: found, wide, fetched, paint, used, rules: axe.version });
});
</script>"""


@cache
def axe() -> str:
    """The text of axe-core, of the package axe-core-python."""
    spec = find_spec("axe_core_python")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("needs axe-core-python (the extra test)")
    return Path(spec.submodule_search_locations[0], "axe.min.js").read_text("utf-8")


def browser() -> str:
    """The path of one."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser is here to open the page: none of {', '.join(BROWSERS)} on PATH")
    return found


def pictured(source: str, folder: Path, name: str) -> None:
    """Pictures of a page at both widths, in the folder MSTMM_SCREENSHOTS if there is one."""
    if not (wanted := os.environ.get("MSTMM_SCREENSHOTS")):
        return
    page, frame = folder / "page.html", folder / "frame.html"
    page.write_text(source, encoding="utf-8")
    for width in (1280, 390):
        frame.write_text(FRAME.replace("WIDTH", str(width)), encoding="utf-8")
        subprocess.run(
            [browser(), *FLAGS, f"--user-data-dir={folder / 'profile'}", "--hide-scrollbars",
             f"--window-size={max(width, 500)},1000", "--virtual-time-budget=5000",
             f"--screenshot={Path(wanted, f'{name}-{width}.png')}", frame.as_uri()],
            capture_output=True, timeout=300, check=True,
        )  # fmt: skip


def seen_by(source: str, folder: Path, width: int = 1280) -> dict[str, Any]:
    """What the page's own call of `seen` tells."""
    page, frame = folder / "page.html", folder / "frame.html"
    page.write_text(source.replace("<head>", f"<head>{SEEN}", 1), encoding="utf-8")
    frame.write_text(FRAME.replace("WIDTH", str(width)), encoding="utf-8")
    command = [browser(), *FLAGS, f"--user-data-dir={folder / 'profile'}"]
    command += ["--virtual-time-budget=20000", f"--window-size={width},1000", "--dump-dom"]
    done = subprocess.run(
        [*command, frame.as_uri()], capture_output=True, text=True, timeout=300, check=False
    )
    found = re.search(r'<script type="application/json" id="report">(.*?)</script>', done.stdout)
    assert found, f"the browser shows nothing: {done.stderr[-2000:]}"
    return dict(json.loads(found[1]))


def opened(
    source: str, folder: Path, width: int, dark: bool = False, use: str = "return null;"
) -> dict[str, Any]:
    """What axe-core finds in a page, and what its use tells: `used` is what the script returns."""
    if dark:
        source = source.replace("(prefers-color-scheme: dark)", "all")
    probe = f'<script class="probe">{axe()}</script>' + JUDGED.replace("USED", use)
    return seen_by(source.replace("</head>", f"{probe}</head>", 1), folder, width)
