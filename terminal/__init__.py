"""Everything drawn: reports, lists, briefs, help. Plain data comes in, lines come out.

No module here imports torch, and rich is loaded only when something is printed.
"""
