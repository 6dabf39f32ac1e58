"""Where the wheels keep headers and libraries."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path

from ..cases import NotHereError

REMEDY = 'pip install "mstmm[bench]"'


@cache
def site(package: str) -> Path:
    """The folder that a package is installed in.

    Raises
        NotHereError: it is not installed.
    """
    try:
        return Path(str(metadata.distribution(package).locate_file(""))).resolve()
    except metadata.PackageNotFoundError:
        raise NotHereError(f"not installed: {REMEDY} ({package})") from None


def pinocchio_flags() -> tuple[str, ...]:
    """What its headers need; the limits are those that it was built with."""
    include, eigen = (
        site(package) / "cmeel.prefix" / "include" for package in ("pin", "cmeel-eigen")
    )
    return (
        "-std=c++17",
        "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
        "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
        "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
        "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
        f"-I{include}",
        f"-I{eigen / 'eigen3'}",
    )
