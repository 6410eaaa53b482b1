"""attn-kata: write attention by hand, and be told what is wrong and on which line.

The public API is small and loads nothing heavy until it is used::

    from attn_kata import check
    report = check("mha", "mine.py")
    report.verdict          # "pass", "fail" or "error"

In a notebook `%load_ext attn_kata` adds `%%kata mha`, which judges a cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .checker import Report
    from .integrations.api import check
    from .integrations.testing import assert_kata
    from .kata.catalogue import Kata, katas

__all__ = ["Kata", "Report", "__version__", "assert_kata", "check", "katas"]

__version__ = "0.1.0"

_HOMES = {
    "Kata": "kata.catalogue",
    "Report": "checker",
    "assert_kata": "integrations.testing",
    "check": "integrations.api",
    "katas": "kata.catalogue",
}


def load_ipython_extension(shell: object) -> None:
    """Take `%load_ext attn_kata`: from then on there are `%%kata`, `%kata_start`, `%kata_hint`."""
    from .integrations.notebook import register

    register(shell)


def __getattr__(name: str) -> object:
    """Import a public name from its room when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
