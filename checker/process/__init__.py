"""Processes: who starts whom, what limits them, and how they speak to each other."""
