"""What the shell completes: names of katas, files and pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..kata.catalogue import katas
from .settings import SETTINGS

__all__ = [
    "called", "hint_numbers", "kata_ids", "page_ids", "plans", "setting_names", "setting_values",
    "target_names",
]  # fmt: skip


def called(*names: str) -> Callable[[str], list[str]]:
    """Return what completes one of these names."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def kata_ids(incomplete: str) -> list[str]:
    """Complete a kata's name."""
    return [kata.id for kata in katas() if kata.id.startswith(incomplete.lower())]


def target_names(incomplete: str, given: Sequence[str]) -> list[str]:
    """Complete a kata's name, or a file of this folder; given is what was typed before.

    Nothing after a kata, or where no kata begins so: the shell then completes files and folders
    by itself, as it does everywhere else.
    """
    named = kata_ids(incomplete)
    if given or not named:
        return []
    files = [str(file) for ending in ("*.py", "*.ipynb") for file in Path().glob(ending)]
    return [*named, *sorted(file for file in files if file.startswith(incomplete))]


def page_ids(incomplete: str) -> list[str]:
    """Complete a page's name, or a kata's."""
    from .pages import page_names

    return [*kata_ids(incomplete), *(n for n in page_names() if n.startswith(incomplete))]


def plans(incomplete: str) -> list[str]:
    """Complete the name of an interview's plan."""
    from .interview.plan import plan_names

    return called(*plan_names())(incomplete)


def setting_names(incomplete: str) -> list[str]:
    """Complete the name of a setting."""
    return called(*SETTINGS)(incomplete)


def setting_values(name: str, incomplete: str) -> list[str]:
    """Complete what a setting may be."""
    return called(*SETTINGS.get(name, ()))(incomplete)


def hint_numbers(incomplete: str) -> list[str]:
    """Complete a hint's number."""
    most = max(len(kata.hints("en")) for kata in katas())
    return called(*map(str, range(1, most + 1)))(incomplete)
