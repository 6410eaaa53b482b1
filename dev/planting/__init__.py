"""Plant mistakes into right files, and prove that the judge finds each one on its line."""
