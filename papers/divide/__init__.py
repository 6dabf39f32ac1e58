"""The divide-and-conquer paper: Hamiltonian dynamics of closed loops."""
