"""The colours of attention weights, from 0 to 1."""

from __future__ import annotations

__all__ = ["COLOURS", "DARK"]

# Viridis, in nine steps: it keeps its order in grey and for the colour-blind.
COLOURS = (
    "#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30",
    "#fde725",
)  # fmt: skip
# How many of them ask for white letters.
DARK = 5
