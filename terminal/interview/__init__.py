"""The interview as it is drawn: line by line, on a screen of its own, and as a report."""
