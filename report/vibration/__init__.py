"""Vibrations: plots, and their overall equation."""
