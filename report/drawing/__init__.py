"""Drawings of models: their topology, and the mechanism in a pose."""
