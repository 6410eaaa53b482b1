"""The pages on mistakes and remarks, by name, where they are installed."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..checker import REMARK_IDS
from ..kata.catalogue import Contract, Kata, katas
from ..kata.slips import slips
from .errors import Refusal

__all__ = ["Group", "grouped", "has_pages", "page_called", "page_names", "pages_of"]

# What any code can have: how it runs, and what is worth a remark.
_ANYWHERE = ("running", "remarks")
_MODULE = "attn_kata.kata.pages"
# How the names of those begin that several katas can get wrong, by what they are about.
_ABOUT: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("scale", ("scale-",)),
    ("softmax", ("softmax-",)),
    ("mask", ("mask-",)),
    ("causal", ("causal-",)),
    ("roles", ("query-", "key-", "value-", "values-", "weights-on-", "cross-", "projection-")),
    ("heads", ("heads-", "view-")),
    ("projection", ("output-projection-", "not-fused", "residual-", "norm-", "activation-")),
    ("dropout", ("dropout-",)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Pages that belong together: about a subject, or a kata's own."""

    names: tuple[str, ...]
    about: str = ""
    kata: Kata | None = None


def has_pages() -> bool:
    """Whether there are pages to open."""
    return find_spec(_MODULE) is not None


def page_names() -> tuple[str, ...]:
    """Return the names of all pages; none where they are not installed."""
    return tuple(_pages().ids()) if has_pages() else ()


def grouped() -> list[Group]:
    """Return all pages: those on what several katas get wrong by subject, then each kata's."""
    own = {kata.id: _own(kata) for kata in katas()}
    rest = set(page_names()) - {name for names in own.values() for name in names}
    katas_groups = [Group(kata=kata, names=own[kata.id]) for kata in katas() if own[kata.id]]
    return [*_by_subject(rest), *katas_groups]


def pages_of(kata: Kata) -> list[Group]:
    """Return the pages on what can be said of a kata's code."""
    own = _own(kata)
    rest = {name for group in grouped() if group.kata is None for name in group.names}
    made = {slip.id for slip in slips(kata.folder)}
    # Of a kata's own mistakes some have their page in the folder of another.
    named = {name for name in made if name not in own and name in page_names()}
    if kata.promised is None:
        other = {
            name for group in _by_subject(rest) if group.about in _ANYWHERE for name in group.names
        }
    else:
        left_out = _left_out(kata.promised)
        other = {name for name in rest if not any(name.startswith(one) for one in left_out)}
    chosen = _by_subject(named | other)
    return [*([Group(kata=kata, names=own)] if own else []), *chosen]


def _own(kata: Kata) -> tuple[str, ...]:
    """The pages in a kata's folder."""
    if not has_pages():
        return ()
    files = sorted((kata.folder / "pages").glob("*.en.md"))
    return tuple(file.name.removesuffix(".en.md") for file in files)


def _by_subject(names: set[str]) -> list[Group]:
    found = {about: list[str]() for about in (*(about for about, _ in _ABOUT), *_ANYWHERE)}
    for name in sorted(names):
        about = next((one for one, begins in _ABOUT if name.startswith(begins)), _ANYWHERE[0])
        found[_ANYWHERE[1] if name in REMARK_IDS else about].append(name)
    return [Group(about=about, names=tuple(rows)) for about, rows in found.items() if rows]


def _left_out(contract: Contract) -> set[str]:
    """How the names begin of what a class's contract leaves no room for."""
    many, cross = contract.heads == "many", contract.source == "cross"
    room = {
        "mask-": bool(contract.masks) or contract.causal,
        "causal-": contract.causal,
        "heads-": many,
        "softmax-over-heads": many,
        "dropout-": contract.dropout != "none",
        "cross-": cross,
        "key-viewed-": cross,
        "not-fused": contract.fused,
    }
    return {begins for begins, there in room.items() if not there}


def page_called(name: str, language: str) -> str:
    """Return a page in Markdown; raise Refusal with the nearest names."""
    names = page_names()
    if name in names:
        return str(_pages().page(name, language))
    near = tuple(f"`{one}`" for one in get_close_matches(name, names, n=3, cutoff=0.5))
    key = "no-page-near" if near else "no-page"
    raise Refusal(key, name=name, nearest=near, commands=("explain",))


def _pages() -> Any:
    return import_module(_MODULE)
