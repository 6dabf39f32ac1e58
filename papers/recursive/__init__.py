"""The recursive-formulation paper: effective masses, driven joints, loops, Kane's equations."""
