"""A tensor for what the values are summed to that is made as large as the query."""

from __future__ import annotations

import re

from ...kata.functions import Function
from ..judge.case import Case
from ..process.answers import Raised
from .readings import Readings

__all__ = ["like_query"]


def like_query(
    readings: Readings, function: Function, case: Case, fault: Raised | None
) -> int | None:
    """The line that makes it, where an exception says that the values' width does not fit in."""
    axes = case.axes(function)
    if fault is None or fault.line is None or not {"query", "value"} <= axes.keys():
        return None
    width, wanted = (case.sizes[axes[name][-1]] for name in ("query", "value"))
    told = {*map(int, re.findall(r"\d+", fault.message))}
    if width == wanted or not {width, wanted} <= told:
        return None
    return readings.made_like("query", fault.line)
