"""Counterpoint side by side with limits and peers: ``python -m benchmarks NAME [--json FILE] [--quick]``."""
