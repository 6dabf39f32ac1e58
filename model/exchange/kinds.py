"""What kind of model an XML file holds."""

from __future__ import annotations

from ...errors import ModelError, ToolchainError, UsageError


def is_mjcf(path: str) -> bool:
    """Is the file MuJoCo's, by its root element? A file that ends in `.urdf` is not asked.

    Raises
        ModelError: the root element is neither `robot` nor `mujoco`.
        ToolchainError: the extra `urdf` is not installed.
        UsageError: the file cannot be read.
    """
    if path.endswith(".urdf"):
        return False
    root = _root(path)
    if root not in ("robot", "mujoco"):
        raise ModelError(f"{path}: the file holds a <{root}>, no <robot> and no <mujoco>")
    return root == "mujoco"


def _root(path: str) -> str:
    from xml.etree.ElementTree import ParseError

    try:
        from defusedxml.ElementTree import iterparse
    except ImportError:
        raise ToolchainError(
            "XML files are read with defusedxml, which is not installed",
            remedy='pip install "mstmm[urdf]"',
        ) from None
    try:
        _, first = next(iterparse(path, events=("start",), forbid_dtd=True))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except (ParseError, ValueError, LookupError, StopIteration) as error:
        raise ModelError(f"{path}: the file is no well-formed XML: {error}") from None
    return str(first.tag)
