"""What kind of model a name means, and what an XML file holds."""

from __future__ import annotations

import os
import re

from ...errors import ModelError, ToolchainError, UsageError

#: How the names of robots' files end, in small letters or capitals.
ROBOTS = (".urdf", ".xml", ".mjcf", ".xacro")
#: A robot's file, and words behind a colon.
_ROBOT = re.compile(r"(?P<path>.*\.(?i:urdf|xml|mjcf|xacro))(?::(?P<words>.*))?", re.DOTALL)


def robot_file(name: str) -> tuple[str, str] | None:
    """The path of a robot's file and the words behind its colon, if the name means one."""
    found = _ROBOT.fullmatch(name)
    return (found["path"], found["words"] or "") if found else None


def is_model_file(name: str) -> bool:
    """Does the name mean a model file, by its ending or a folder in it?"""
    return name.lower().endswith(".toml") or "/" in name or os.sep in name


def is_urdf(path: str) -> bool:
    """Is it URDF by its name alone?"""
    return path.lower().endswith((".urdf", ".xacro"))


def is_mjcf(path: str) -> bool:
    """Is the file MuJoCo's, by its root element? One of URDF by its name is not asked.

    Raises
        ModelError: the root element is neither `robot` nor `mujoco`.
        ToolchainError: the extra `urdf` is not installed.
        UsageError: the file cannot be read.
    """
    if is_urdf(path):
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
    return str(first.tag).rpartition("}")[2]
