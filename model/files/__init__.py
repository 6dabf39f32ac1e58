"""Models from files, TOML and URDF, and back to TOML."""
