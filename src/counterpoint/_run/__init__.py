"""From a system to a run: checks, plan, precedence, the run itself, recording."""
