"""The site: formulas without a script, and no page that fetches anything from another host."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

pytestmark = pytest.mark.extras

pytest.importorskip("myst_nb")
pytest.importorskip("latex2mathml")
pytest.importorskip("furo")
pytest.importorskip("sphinx_copybutton")

PAGE = """# A page

A formula {math}`\\theta_1^2` in the text, and one by itself:

```{math}
\\left[\\begin{matrix}1 & \\frac{a}{2}\\\\0 & \\sin{\\left(q \\right)}\\end{matrix}\\right]
```

| error | digits that are lost to the condition |
| --- | --- |
| 4.0e-15 | none |

MORE
"""


def built(folder: Path, more: str = "") -> subprocess.CompletedProcess[str]:
    """The site of one page, with the configuration of the whole."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "conf.py", docs)
    shutil.copytree(ROOT / "docs" / "static", docs / "static")
    shutil.copytree(ROOT / "templates" / "fonts", folder / "templates" / "fonts")
    (docs / "index.md").write_text(PAGE.replace("MORE", more), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", str(docs), str(folder / "site")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_formulas_are_drawn_without_a_network(tmp_path: Path) -> None:
    done = built(tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert page.count("<math ") == 2
    assert page.count("<mtr>") == 2
    assert "<msubsup>" in page
    assert "mathjax" not in page.lower()
    assert page.count("whole") == 3  # "error", "4.0e-15" and "none", not the long head
    style = (tmp_path / "site" / "_static" / "site.css").read_text("utf-8")
    assert "stix-two-math.woff2" in style
    assert (tmp_path / "site" / "_static" / "stix-two-math.woff2").exists()


def test_docstrings_read_as_they_are_written(tmp_path: Path) -> None:
    done = built(tmp_path, "```{eval-rst}\n.. autofunction:: mstmm.load\n```")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "The model of this name" in page
    assert "|h|" not in page


def test_a_citation_leads_to_its_equation(tmp_path: Path) -> None:
    cited = "S by the Riccati paper (29), (30); not `Riccati paper (31)`."
    done = built(tmp_path, cited)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    links = re.findall(r'href="#(eq-[^"]+)">\((\d+)\)</a>', page)
    assert links == [("eq-riccati-29", "29"), ("eq-riccati-30", "30")]
    for anchor, _ in links:
        assert f'id="{anchor}"' in page
    assert "S behind the element" in page


@pytest.mark.parametrize(
    "planted",
    [
        '<script src="https://example.org/a.js"></script>',
        '<link rel="stylesheet" href="//example.org/a.css">',
        "<style>@font-face { src: url(https://example.org/a.woff2) }</style>",
    ],
)
def test_a_page_that_fetches_is_refused(tmp_path: Path, planted: str) -> None:
    done = built(tmp_path, planted)
    assert done.returncode != 0
    assert "index.html is not readable without a network" in done.stderr
