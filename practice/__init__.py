"""The person's side: which file belongs to which kata, and what was tried when.

Nothing here may stop a command: what cannot be stored is said and left.
"""
