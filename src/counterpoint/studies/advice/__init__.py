"""How good the advice is: against all candidates on two masses, and against exhaustive sweeps."""
