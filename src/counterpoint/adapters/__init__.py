"""Other simulators as subsystems, and our interface inside them; each needs its own package, an extra."""
