"""The pages on mistakes and remarks, by name, where they are installed."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .errors import Refusal

__all__ = ["has_pages", "page_called", "page_names"]

_MODULE = "attn_kata.kata.pages"


def has_pages() -> bool:
    """Whether there are pages to open."""
    return find_spec(_MODULE) is not None


def page_names() -> tuple[str, ...]:
    """Return the names of all pages; none where they are not installed."""
    return tuple(_pages().ids()) if has_pages() else ()


def page_called(name: str, language: str) -> str:
    """Return a page in Markdown; raise Refusal with the nearest names."""
    names = page_names()
    if name in names:
        return str(_pages().page(name, language))
    near = ", ".join(f"`{one}`" for one in get_close_matches(name, names, n=3, cutoff=0.5))
    key = "no-page-near" if near else "no-page"
    raise Refusal(key, name=name, nearest=near, commands=("explain",))


def _pages() -> Any:
    return import_module(_MODULE)
