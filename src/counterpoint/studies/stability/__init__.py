"""Stability regions and convergence of multirate schemes after Solcia (2010), chapter 3."""
