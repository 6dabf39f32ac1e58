"""The program as text, to be read: the smallest target, and an example of one."""

from __future__ import annotations

from ..target import Target

TARGET = Target("text", language="text")
