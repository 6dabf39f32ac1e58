"""What is packaged: every folder with an `__init__.py` in those that `package-dir` maps."""

import tomllib
from pathlib import Path

from setuptools import find_packages, setup

PROJECT = tomllib.loads(Path(__file__).with_name("pyproject.toml").read_text())
ROOMS = PROJECT["tool"]["setuptools"]["package-dir"]

setup(
    packages=[
        *ROOMS,
        *(f"{room}.{inner}" for room, folder in ROOMS.items() for inner in find_packages(folder)),
    ]
)
