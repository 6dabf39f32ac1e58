"""The divide-and-conquer paper's study, repeated and extended: its three cases, how they are solved."""
