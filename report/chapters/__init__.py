"""Chapters of a derivation: what is computed, by which steps, and how."""
