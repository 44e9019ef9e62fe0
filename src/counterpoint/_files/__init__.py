"""Text files that a user writes: reading, checking with line numbers, writing."""
