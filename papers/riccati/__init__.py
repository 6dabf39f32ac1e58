"""The Riccati paper: the Riccati transfer matrix method for chains and branches."""
