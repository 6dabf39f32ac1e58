"""All equations of the screw paper that are checked, in order."""

from __future__ import annotations

from . import screwbody, screwdefinitions, screwhybrid, screwspatial

CHECKS = (
    *screwbody.CHECKS,
    *screwspatial.CHECKS,
    *screwhybrid.CHECKS,
    *screwdefinitions.CHECKS,
)
