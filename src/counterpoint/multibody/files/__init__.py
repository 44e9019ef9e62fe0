"""Mechanisms in files: model files, URDF, matrices for other programs."""
