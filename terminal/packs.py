"""Packs of katas of a person's own: asked about once, and what is wrong with them told."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..practice.packs import Pack, named, settle
from .language import given
from .screen import Screen
from .text import safe

__all__ = ["take_packs"]

# A shell that completes a word has nobody to ask, and shows no notes.
_COMPLETING = "_ATTN_KATA_COMPLETE"


def take_packs(screen: Screen, arguments: Sequence[str], setting: str) -> None:
    """Have the katas of trusted packs count for this command; say which do not, and why."""
    completing = _COMPLETING in os.environ

    def ask(pack: Pack) -> bool:
        if completing or not screen.may_ask:
            return False
        screen.note(
            screen.say("pack-asks", folder=safe(str(pack.home.resolve())), by=safe(pack.by))
        )
        return screen.ask(screen.say("pack-ask"))

    troubles = settle(named(given(arguments, "--katas"), setting), ask, _lint)
    if not completing:
        screen.own_up(troubles)


def _lint(room: Path) -> list[str]:
    """What is wrong with a pack, as far as it shows without running anything of it."""
    from ..dev.contents import content_problems
    from ..dev.layout import Folder

    return list(content_problems(Folder(path=room)))
