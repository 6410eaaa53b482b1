"""The candidate's process: runs the submission. It imports nothing of the judge's."""
