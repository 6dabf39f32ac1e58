"""Settings of all tests."""

from hypothesis import HealthCheck, Phase, settings

# To explain a failure, Hypothesis traces every line of every example, which takes half the time;
# and how long a draw takes on a busy machine says nothing about the code.
settings.register_profile(
    "plain",
    phases=set(Phase) - {Phase.explain},
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("plain")
