"""All equations of the screw paper that are checked, in order."""

from __future__ import annotations

from . import (
    screwbalance,
    screwbody,
    screwclosed,
    screwdefinitions,
    screwframes,
    screwhybrid,
    screwintegration,
    screwrecursion,
    screwslopes,
    screwspatial,
    screwtime,
)

CHECKS = (
    *screwbody.CHECKS,
    *screwspatial.CHECKS,
    *screwhybrid.CHECKS,
    *screwbalance.CHECKS,
    *screwframes.CHECKS,
    *screwrecursion.CHECKS,
    *screwclosed.CHECKS,
    *screwslopes.CHECKS,
    *screwtime.CHECKS,
    *screwintegration.CHECKS,
    *screwdefinitions.CHECKS,
)
