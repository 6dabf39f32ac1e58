"""Loops eliminated where they close: their columns in the sweeps, and corrections."""
