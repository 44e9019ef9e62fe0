"""Benchmarks of the community: four small problems with exact solutions, ours beside the published numbers."""
