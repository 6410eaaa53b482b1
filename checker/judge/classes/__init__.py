"""The judging of v1 to cross: their contracts, cases and checks."""
