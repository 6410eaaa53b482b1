"""What comes of a round of grading, drawn and written."""
