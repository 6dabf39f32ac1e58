"""Models in from other tools, and out to them: nothing in the core imports it."""
