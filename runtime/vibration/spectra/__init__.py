"""Eigenvalues s of small motions with damping and spin: all of a region, and that they are."""
