"""What comes of a check, as plain data, and the sentences that say it."""
