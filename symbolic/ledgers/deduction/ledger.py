"""All entries of the deduction paper. Of its displays our copy has no print, but of its text."""

from __future__ import annotations

from . import elements, examples, flexible, systems

ENTRIES = (*flexible.ENTRIES, *elements.ENTRIES, *systems.ENTRIES, *examples.ENTRIES)
