"""A free answer, read with caution: what it speaks of, which way round, which points it makes."""
