"""How a line of CUDA looks: as one of C."""

from __future__ import annotations

from dataclasses import replace

from ..c.language import C

CUDA = replace(C, name="cuda", bank="BANK", notes=False)
