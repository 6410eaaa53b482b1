"""Find the bugs: right files with mistakes planted in them, to be found, claimed and mended."""
