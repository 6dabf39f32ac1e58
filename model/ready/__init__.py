"""The ready-made models."""
