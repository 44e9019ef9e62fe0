"""Counterpoint: multirate co-simulation."""
