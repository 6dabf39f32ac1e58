"""Is a model a system that can be solved, and what is odd about it?"""
