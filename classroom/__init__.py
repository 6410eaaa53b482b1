"""A class or a hiring round: many submissions, judged by one command."""
