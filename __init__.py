"""attn-kata: write attention by hand, and be told what is wrong and on which line.

The public API is small and loads nothing heavy until it is used::

    from attn_kata import check
    report = check("mha", "mine.py")
    report.verdict          # "pass", "fail" or "error"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .checker.client import check
    from .checker.report.report import Report
    from .kata.catalogue import Kata, katas

__all__ = ["Kata", "Report", "__version__", "check", "katas"]

__version__ = "0.1.0"

_HOMES = {
    "Kata": "kata.catalogue",
    "Report": "checker.report.report",
    "check": "checker.client",
    "katas": "kata.catalogue",
}


def __getattr__(name: str) -> object:
    """Import a public name from its room when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
