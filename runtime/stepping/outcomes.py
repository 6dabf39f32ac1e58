"""What became of a motion, or of closing loops: the same numbers in generated C and here."""

from __future__ import annotations

DONE, NOT_FINITE, OPEN, TOO_SMALL, UNDER_WAY, STOPPED, FAILED, ENDLESS, UNDECIDED = range(9)
