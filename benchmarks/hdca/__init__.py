"""The divide-and-conquer paper's study, repeated and extended, on its three cases."""
