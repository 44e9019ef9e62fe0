"""Approximations that the two ends of a link can name."""

from ..approximations import hold, lagrange

IN_WORDS = {known.name: known for known in (hold("behind"), hold("ahead"), *(lagrange(order) for order in range(5)))}
"""By their names, as they stand in the description of ports."""
