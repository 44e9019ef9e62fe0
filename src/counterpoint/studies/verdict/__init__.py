"""How often the verdict is right: runs with known solutions, a table of what was said and what was true."""
