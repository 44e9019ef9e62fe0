"""Mechanisms of rigid bodies: what a mechanical engineer models, runs and looks at."""
