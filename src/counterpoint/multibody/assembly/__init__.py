"""From a description to coordinates, equations and the core's model."""
