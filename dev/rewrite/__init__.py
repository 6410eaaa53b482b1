"""Files written otherwise that mean the same: passes on the source, composed by a seed.

Text in, text out; nothing of what is rewritten is run, and torch is not imported.
"""

from .compose import PASSES, Rewritten, rewrite

__all__ = ["PASSES", "Rewritten", "rewrite"]
