"""Makes the fonts of the pages' formulas: `python packaging/fonts.py STIXTwoMath-Regular.ttf`.

It needs `fonttools` and `brotli`. Of STIX Two Math it keeps what formulas of the pages and of the
site use, with the signs that stretch, in the format of browsers. A second font has the letters of
vectors and matrices: the upright characters stand in it for those in bold italics, so that text
that is copied or searched is plain.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter, save_font
from fontTools.ttLib import TTFont

FONTS = Path(__file__).parent.parent / "templates" / "fonts"

#: Letters with their bold italic forms: Latin capitals and small letters, Greek the same.
BOLD = {
    **{ord("A") + k: 0x1D468 + k for k in range(26)},
    **{ord("a") + k: 0x1D482 + k for k in range(26)},
    **{0x391 + k: 0x1D71C + k for k in range(25)},
    **{0x3B1 + k: 0x1D736 + k for k in range(25)},
}

SIGNS = (
    "′″…⋯⋮⋱−×·⋅∈∑∏∫√≤≥≠≈≡→←↦⟶∂∇∞∀∃⊗⊕⊙⊤∥⌊⌋⌈⌉⟨⟩–—ℎℓℝ"
    "\N{FUNCTION APPLICATION}\N{INVISIBLE TIMES}\N{INVISIBLE SEPARATOR}\N{INVISIBLE PLUS}"
    "˙ˆ˜"
)
REGULAR = {
    *range(0x20, 0x7F),  # ASCII
    *range(0xA0, 0x180),  # Latin letters with marks
    *range(0x300, 0x30D),  # combining marks
    *range(0x391, 0x3D7),  # Greek
    *range(0x1E00, 0x1EFA),  # more letters with marks
    *range(0x1D434, 0x1D468),  # italic Latin
    *range(0x1D6E2, 0x1D71C),  # italic Greek
    *map(ord, SIGNS),
}


def written(font: TTFont, characters: set[int], name: str) -> None:
    features = ["ssty", "math", "flac", "dtls", "ccmp", "mark"]
    options = Options(flavor="woff2", hinting=False, layout_features=features)
    chosen = Subsetter(options)
    chosen.populate(unicodes=characters)
    chosen.subset(font)
    save_font(font, FONTS / name, options)
    print(f"{name}: {(FONTS / name).stat().st_size} bytes")


def main(path: str) -> None:
    written(TTFont(path), REGULAR, "stix-two-math.woff2")
    font = TTFont(path)
    glyphs = font.getBestCmap()
    letters = {letter: glyphs[bold] for letter, bold in BOLD.items() if bold in glyphs}
    for table in font["cmap"].tables:
        table.cmap = {k: v for k, v in letters.items() if table.format != 14}
    written(font, set(letters), "stix-two-math-bold-italic.woff2")


if __name__ == "__main__":
    main(*sys.argv[1:])
