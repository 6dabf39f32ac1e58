"""Models from other tools: MuJoCo, SymPy."""
