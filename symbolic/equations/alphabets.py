"""A layout as Unicode text, LaTeX or MathML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from unicodedata import normalize

from .layout import Box
from .tokens import GREEK

SUPER = dict(
    zip(
        "0123456789+-−ABDEGHIJKLMNOPRTUVWabcdefghijklmnoprstuvwxyz",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ",
        strict=True,
    )
)
LOW = dict(zip("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋", strict=True))
#: Marks that a shown letter may carry, as `Jᵇ`, `P̄`, `q̇`.
MARKS = {"̄": "bar", "̂": "hat", "̇": "dot", "̈": "ddot", "̃": "tilde"}
RAISED = {raised: plain for plain, raised in SUPER.items() if plain not in "-−"}
DOTS = {1: ("̇", "dot"), 2: ("̈", "ddot"), 3: ("⃛", "dddot"), 4: ("⃜", "ddddot")}
OVER = {"bar": "¯", "hat": "^", "dot": "˙", "ddot": "¨", "tilde": "~"}

LEAVES = ("id", "num", "op", "text", "fn")
#: Pieces of a formula that are always the same: as LaTeX and as MathML.
FIXED = {
    "times": (" ", "<mo>&#x2062;</mo>"),
    "gap": ("", '<mspace width="0.17em"/>'),
    "apart": (r"\;\;", '<mspace width="0.7em"/><mo>&#x2063;</mo>'),
    "separator": (",", '<mo separator="true">,</mo>'),
}
ACCENTS = {"˙": "dot", "¨": "ddot", "⃛": "dddot", "^": "hat", "¯": "bar", "~": "tilde", "ˇ": "check"}


def text(box: Box) -> str:
    """As a line of Unicode."""
    if box.kind in LEAVES:
        return box.text
    parts = [text(part) for part in box.parts]
    if box.kind == "row":
        return "".join(parts)
    if box.kind == "fence":
        return f"{box.text[0]}{parts[0]}{box.text[1]}"
    if box.kind == "frac":
        return f"{parts[2]}/{parts[3]}"
    if box.kind == "matrix":
        rows = (", ".join(map(text, line.parts)) for line in box.parts)
        return f"[{'; '.join(rows)}]"
    if box.kind == "dots":
        if parts[0].endswith(")"):
            return parts[0] + box.text
        # Above the letter itself, not what is raised before it, nor a ∂ or δ.
        at = next((n for n, c in enumerate(parts[0], 1) if c not in RAISED and c not in "∂δ"), 1)
        return parts[0][:at] + DOTS[len(box.text)][0] + parts[0][at:]
    base, script = parts
    if box.kind == "sup":
        small = all(c in SUPER for c in script)
        return base + ("".join(SUPER[c] for c in script) if small else f"^{_braced(script)}")
    if box.kind == "sub" and all(c in LOW for c in script):
        return base + "".join(LOW[c] for c in script)
    return f"{base}_{_braced(script)}"


def _braced(script: str) -> str:
    return script if len(script) == 1 or (script.isalnum() and len(script) < 4) else f"{{{script}}}"


SIGNS = {
    "−": "-",
    "×": r"\times ",
    "≤": r"\le ",
    "≠": r"\ne ",
    "∈": r"\in ",
    "Σ": r"\sum",
    "∂": r"\partial ",
    "~": r"\tilde ",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "▢": r"\square ",
    "‖": r"\Vert ",
    "…": r"\dots ",
    "𝟎": r"\mathbf{0}",
    "𝟏": r"\mathbf{1}",
}
NAMES = {sign: f"\\{name} " for name, sign in GREEK.items()}
#: What stands in shown letters alone: TeX's fonts for mathematics lack it, and leave it out.
SHOWN = {
    **{
        "η": r"\eta ",
        "ζ": r"\zeta ",
        "κ": r"\kappa ",
        "φ": r"\varphi ",
        "χ": r"\chi ",
        "ψ": r"\psi ",
    },
    **{"Λ": r"\Lambda ", "ℓ": r"\ell ", "′": "'", "★": r"\star "},
}
COMMAND = re.compile(r"\\[A-Za-z]+$")
LOWERED = {"ₚ": "p", "ₐ": "a", **{low: plain for plain, low in LOW.items()}}


def latex(box: Box) -> str:
    """As LaTeX, for mathematics."""
    if box.kind in FIXED:
        return FIXED[box.kind][0]
    if box.kind == "bold":
        letter = "".join(NAMES.get(c, c) for c in box.text).strip()
        return rf"\boldsymbol{{{letter}}}" if letter[0] == "\\" else rf"\mathbf{{{letter}}}"
    if box.kind == "short":
        return latex(box.parts[1])
    if box.kind == "matrix":
        lines = r" \\ ".join(" & ".join(map(latex, line.parts)) for line in box.parts)
        return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"
    if box.kind == "id":
        return _latex_letter(box.text)
    if box.kind == "text":
        return _latex_words(box.text)
    if box.kind in ("op", "num"):
        return "".join(SIGNS.get(c, c) for c in box.text)
    if box.kind == "fn":
        return rf"\{box.text} " if box.text in ("sin", "cos") else rf"\operatorname{{{box.text}}}"
    parts = [latex(part) for part in box.parts]
    if box.kind == "row":
        return _latex_row(parts)
    if box.kind == "fence":
        left, right = (SIGNS.get(c, c) for c in box.text)
        return rf"\left{left}{parts[0]}\right{right}"
    if box.kind == "dots":
        return rf"\{DOTS[len(box.text)][1]}{{{parts[0]}}}"
    if box.kind == "frac":
        return rf"\frac{{{parts[0]}}}{{{parts[1]}}}"
    if box.kind == "cell":
        return parts[0]
    if box.kind == "over":
        return rf"\{ACCENTS[box.text]}{{{parts[0]}}}"
    if box.kind == "before":
        return rf"{{}}^{{{parts[1]}}}{parts[0]}"
    if box.kind == "subsup":
        return f"{parts[0]}_{{{parts[1]}}}^{{{parts[2]}}}"
    base, script = parts
    sign = "^" if box.kind == "sup" else "_"
    if box.parts[0].kind in ("bold", "over"):
        return f"{base}{sign}{{{script}}}"
    return f"{base}{sign}{{{script}}}" if box.kind == "under" else f"{{{base}}}{sign}{{{script}}}"


def _latex_row(parts: Iterable[str]) -> str:
    """Parts side by side: no command takes in the letter behind it, a mark all of a bracket."""
    found = ""
    for part in parts:
        if found.endswith(SIGNS["~"]) and part.startswith(r"\left"):
            part = f"{{{part}}}"
        found += " " if part[:1].isalpha() and COMMAND.search(found) else ""
        found += part
    return found


def _latex_words(words: str) -> str:
    """Indices as mathematics; what has spaces as words."""
    if (words.strip().isalpha() and words.isascii() and len(words) > 3) or "where" in words:
        return rf"\text{{{words}}}"
    return "".join(SIGNS.get(c, NAMES.get(c, r"\ " if c == " " else c)) for c in words)


def _latex_letter(letter: str) -> str:
    base, raised, marks = _taken_apart(letter)
    if base.endswith("⁻"):
        base, raised = base[:-1], f"-{raised}"
    high = base.rstrip("".join(LOWERED))
    found = "".join(NAMES.get(c, SHOWN.get(c, SIGNS.get(c, c))) for c in high)
    if low := "".join(LOWERED[c] for c in base[len(high) :]):
        found = f"{found.strip()}_{{{low}}}"
    if len(base) > 1 and base.isascii():
        found = rf"\mathit{{{found}}}"
    for mark in marks:
        found = rf"\{mark}{{{found}}}"
    return f"{{{found}}}^{{{raised}}}" if raised else found.strip()


def _taken_apart(letter: str) -> tuple[str, str, list[str]]:
    """A shown letter as its base, what is raised beside it, and the marks above it."""
    letter = normalize("NFD", letter)
    base = "".join(c for c in letter if c not in RAISED and c not in MARKS)
    raised = "".join(RAISED[c] for c in letter if c in RAISED)
    return base, raised, [MARKS[c] for c in letter if c in MARKS]


#: A space at the border of words in a formula, which a browser would leave out.
NO_BREAK = "\u00a0"
TAGS = {"sub": "msub", "subsup": "msubsup", "sup": "msup", "frac": "mfrac", "under": "munder"}


def mathml(box: Box) -> str:
    """As MathML, without the `math` around it."""
    if box.kind in FIXED:
        return FIXED[box.kind][1]
    if box.kind == "bold":
        return f'<mi class="b" mathvariant="normal">{escape(box.text)}</mi>'
    if box.kind == "short":
        return mathml(box.parts[0])
    if box.kind == "matrix":
        lines = "".join(f"<mtr>{''.join(map(_cell, line.parts))}</mtr>" for line in box.parts)
        return f'<mtable class="{" ".join(filter(None, ("matrix", box.text)))}">{lines}</mtable>'
    if box.kind == "id":
        base, raised, marks = _taken_apart(box.text)
        found = f"<mi>{escape(base)}</mi>"
        for mark in marks:
            found = f'<mover accent="true">{found}<mo>{OVER[mark]}</mo></mover>'
        return f"<msup>{found}<mi>{escape(raised)}</mi></msup>" if raised else found
    if box.kind == "op":
        return f"<mo>{escape(box.text.strip())}</mo>" if box.text.strip() else ""
    if box.kind in LEAVES:
        tag = {"num": "mn", "text": "mtext", "fn": "mi"}[box.kind]
        return f"<{tag}>{escape(box.text).replace(' ', NO_BREAK)}</{tag}>"
    parts = [mathml(part) for part in box.parts]
    if box.kind == "row":
        return f"<mrow>{''.join(parts)}</mrow>"
    if box.kind == "fence":
        return f"<mrow><mo>{box.text[0]}</mo>{parts[0]}<mo>{box.text[1]}</mo></mrow>"
    if box.kind == "dots":
        return f'<mover accent="true">{parts[0]}<mo>{box.text}</mo></mover>'
    if box.kind == "over":
        return f'<mover accent="true">{parts[0]}<mo>{box.text}</mo></mover>'
    if box.kind == "before":
        base, raised = parts
        return f"<mmultiscripts>{base}<mprescripts/><mrow></mrow>{raised}</mmultiscripts>"
    tag = TAGS[box.kind]
    return f"<{tag}>{''.join(parts[:2] if tag == 'mfrac' else parts)}</{tag}>"


def _cell(box: Box) -> str:
    """A cell of a matrix, with the classes that a page gives it."""
    inner = box.parts[0] if box.kind == "cell" else box
    named = f' class="{box.text}"' if box.kind == "cell" and box.text else ""
    return f"<mtd{named}>{mathml(inner)}</mtd>"
