"""A passenger car with a detailed thermal system on a drive cycle: Günther et al. (2012), sections 4 and 5."""
