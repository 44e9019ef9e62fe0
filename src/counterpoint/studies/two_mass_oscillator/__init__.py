"""Two-mass oscillator of Günther et al. (2012): causality and approximation at a flange."""
