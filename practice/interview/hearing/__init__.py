"""What a candidate says, understood: a command, a clarifying question, or thinking aloud."""
