"""The mock interview: plans and requirements, the clock, what happened, score and verdict.

What happened is a row of events, each stored as it happens; the state is what they add up to.
"""
