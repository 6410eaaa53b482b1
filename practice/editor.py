"""The person's own editor: the setting's, or VISUAL, or EDITOR."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from .errors import Refusal
from .home import reason

__all__ = ["edit", "editor_words"]


def editor_words(setting: str, environment: Mapping[str, str]) -> list[str]:
    """Return the editor's command, in words. Raise Refusal where none is set or there."""
    text = setting or environment.get("VISUAL", "") or environment.get("EDITOR", "")
    try:
        words = shlex.split(text)
    except ValueError:
        raise Refusal("editor-unread", text=text, commands=("config editor",)) from None
    if not words:
        raise Refusal("no-editor", commands=("config editor nano",))
    if shutil.which(words[0]) is None:
        raise Refusal("editor-missing", name=words[0], commands=("config editor",))
    return words


def edit(words: Sequence[str], file: Path) -> None:
    """Open a file, and wait as long as the editor keeps the terminal."""
    try:
        subprocess.run([*words, str(file)], check=False)
    except OSError as fault:
        raise Refusal("editor-failed", name=words[0], reason=reason(fault)) from None
