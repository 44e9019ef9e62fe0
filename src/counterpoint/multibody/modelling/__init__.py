"""How a mechanism is described: bodies, joints, loads, outputs."""
