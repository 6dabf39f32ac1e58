"""Stiff motion: what error costs, in steps and in time, by explicit and by implicit methods."""
