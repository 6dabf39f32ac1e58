"""Mechanisms that pass singular positions, with one freedom on the way that they are to go."""

import sys

from places import ROOT

sys.path.append(str(ROOT))

from benchmarks.loops import GRAVITY, T_END, followed, posts, row_of_four_bars

__all__ = ["GRAVITY", "T_END", "followed", "posts", "row_of_four_bars"]
