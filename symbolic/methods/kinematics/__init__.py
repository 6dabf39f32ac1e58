"""Twists of bodies and frames with their first and second rates, in four representations."""
