"""Diagrams as pictures."""
