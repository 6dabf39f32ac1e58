"""Whether what a page shows is right: by virtual power, by Lagrange, by another algorithm."""
