"""All equations of the screw paper that are checked, in order."""

from __future__ import annotations

from . import (
    screwbalance,
    screwbody,
    screwclosed,
    screwdefinitions,
    screwframes,
    screwhybrid,
    screwrecursion,
    screwspatial,
)

CHECKS = (
    *screwbody.CHECKS,
    *screwspatial.CHECKS,
    *screwhybrid.CHECKS,
    *screwbalance.CHECKS,
    *screwframes.CHECKS,
    *screwrecursion.CHECKS,
    *screwclosed.CHECKS,
    *screwdefinitions.CHECKS,
)
