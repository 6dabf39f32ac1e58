"""Quantities as expressions: made, written, evaluated, and where they jump."""
