"""The diagnosis of v1 to cross."""
