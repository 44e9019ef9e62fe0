"""Diagrams in files."""
