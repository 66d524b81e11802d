"""What every test shares."""

from hypothesis import settings

# Derandomised, so that a run says something about the change under test and not about luck; no deadline, because a shared
# machine is slow now and then.
settings.register_profile("stepgrad", derandomize=True, deadline=None)
settings.load_profile("stepgrad")
