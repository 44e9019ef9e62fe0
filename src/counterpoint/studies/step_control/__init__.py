"""Step control compared: work against precision of all paces on problems with exact or fine solutions."""
