"""Two pendulums that stress a coupling: one held by a controller across a socket, one cut at its joint."""
