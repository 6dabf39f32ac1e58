"""Settings of all tests."""

from hypothesis import Phase, settings

# To explain a failure, Hypothesis traces every line of every example, which takes half the time.
settings.register_profile("untraced", phases=set(Phase) - {Phase.explain})
settings.load_profile("untraced")
