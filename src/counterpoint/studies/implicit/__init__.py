"""Implicit coupling: compound steps, repeated windows and accelerated iterations on four problems."""
