"""The text of a URDF file: its elements, and the names and numbers in their attributes.

Files with a document type are refused, and with it every entity: neither bombs nor outside files
are expanded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from ...errors import ModelError, ToolchainError
from ..checks.doubts import doubt

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

#: What makes a text a template, not a robot, and the remedy.
_TEMPLATE = re.compile(r"\$[{(]")
EXPAND = "expand it first: xacro FILE > robot.urdf"
#: What is looked at but not computed with: whatever stands in it is passed over.
SEEN_ALONE = ("visual", "collision", "material", "gazebo", "sensor")
#: The prefix of a tag or of an attribute, and one that is declared.
_PREFIX = re.compile(rb"""<([A-Za-z_][\w.-]*):|\s([A-Za-z_][\w.-]*):[\w.-]+\s*=\s*["']""")
_DECLARED = re.compile(rb"\sxmlns:([\w.-]+)")
#: More prefixes are no slip.
MOST_PREFIXES = 20


def element(data: bytes) -> Element:
    """The root element of a file's text; tags in its own namespace are without it.

    Raises
        ModelError: no XML, or XML with a document type, entities or macros.
        ToolchainError: the extra `urdf` is not installed.
    """
    try:
        from defusedxml.ElementTree import fromstring
    except ImportError:
        raise ToolchainError(
            "URDF files are read with defusedxml, which is not installed",
            remedy='pip install "mstmm[urdf]"',
        ) from None
    top = _parsed(data, fromstring)
    space = top.tag.rpartition("}")[0]
    waiting = [top]
    for each in waiting:
        tag = each.tag if isinstance(each.tag, str) else ""
        if "xacro" in tag.rpartition("}")[0]:
            raise ModelError(
                f"the file holds macros, such as <xacro:{tag[-60:].rpartition('}')[2]}>; {EXPAND}"
            )
        if space and tag.startswith(space):
            each.tag = tag[len(space) + 1 :]
        waiting += () if each.tag in SEEN_ALONE else each
    return top


def _parsed(data: bytes, read: Callable[..., Element]) -> Element:
    """The text as it is, or without what other readers pass over: see `_mended`."""
    try:
        try:
            return read(data, forbid_dtd=True)
        except ParseError as error:
            mended = _mended(data)
            if mended == data:
                raise
            top = read(mended, forbid_dtd=True)
            doubt(
                f"is no well-formed XML ({error}); read without comments and stray bytes, prefixes "
                "declared",
                field="the file",
            )
            return top
    except ParseError as error:
        said = f"the file is no well-formed XML: {error}"
        if b"xacro:" in data:
            raise ModelError(f"{said}; it holds xacro macros: {EXPAND}") from None
        raise ModelError(f"{said}; correct it there (xmllint FILE shows where)") from None
    except (ValueError, LookupError) as error:  # what is forbidden, and encodings unknown
        raise ModelError(
            f"the file is refused ({type(error).__name__}): document types, entities and rare "
            "encodings are not read; remove them"
        ) from None


def _mended(data: bytes) -> bytes:
    """Without comments, blanks around the elements, and bytes that are no UTF-8.

    Prefixes that are not declared are.
    """
    first, *rest = data.split(b"<!--")
    plain = b"".join([first, *(part.partition(b"-->")[2] for part in rest)])
    plain = plain.strip(b"\xef\xbb\xbf\0 \t\r\n")
    used = {tag or own for tag, own in _PREFIX.findall(plain)} - {b"xmlns", b"xml"}
    lost = sorted(used - {*_DECLARED.findall(plain)})
    if len(lost) <= MOST_PREFIXES:
        declared = b"".join(b' xmlns:%s="%s"' % (x, x) for x in lost)
        plain = plain.replace(b"<robot", b"<robot" + declared, 1)
    return plain.decode("utf-8", errors="replace").encode()


def attribute(element: Element, name: str, where: str) -> str:
    """A name in an attribute, without blanks around it."""
    text = element.get(name, "").strip()
    if not text:
        raise ModelError(f"<{element.tag}> has no {name}; give it one", element=where)
    if _TEMPLATE.search(text):
        raise ModelError(f"is {text!r}, a macro of xacro; {EXPAND}", element=where, field=name)
    return text


def numbers(text: str, count: int, where: str, field: str, *, ranged: bool = False) -> list[float]:
    """So many finite numbers with blanks between them; commas between them are mended.

    With `ranged` they may be infinite.
    """
    found = _floats(text)
    if len(found) != count and len(parted := _floats(text.replace(",", " "))) == count > 1:
        doubt(f"has commas between its numbers, {text[:60]!r}", element=where, field=field)
        found = parted
    allowed = (lambda x: not math.isnan(x)) if ranged else math.isfinite
    if len(found) == count and all(map(allowed, found)):
        return found
    wanted = "a finite number" if count == 1 else f"{count} finite numbers"
    remedy = ""
    if _TEMPLATE.search(text):
        remedy = f", a macro of xacro; {EXPAND}"
    elif "," in text:
        remedy = "; write points, not commas"
    raise ModelError(f"must be {wanted}, is {text[:60]!r}{remedy}", element=where, field=field)


def _floats(text: str) -> list[float]:
    try:
        return [float(word) for word in text.replace("_", "?").split()]
    except ValueError:
        return []


def number(
    element: Element | None,
    name: str,
    where: str,
    default: float | None = None,
    *,
    ranged: bool = False,
) -> float:
    """A number in an attribute; a missing one is the default, if there is one."""
    text = None if element is None else element.get(name)
    if text is None:
        if default is not None:
            return default
        tag = "" if element is None else element.tag
        raise ModelError(f"<{tag}> has no {name}; give it one", element=where)
    return numbers(text, 1, where, name, ranged=ranged)[0]
