"""The judge's process: what is asked of a submission, and whether its answers are right."""
