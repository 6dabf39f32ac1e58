"""Plots of vibrations."""
