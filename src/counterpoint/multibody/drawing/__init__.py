"""Mechanisms as pictures, at one moment or over a run."""

from .mechanisms import animate, draw, moving

__all__ = ["animate", "draw", "moving"]
