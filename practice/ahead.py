"""A check that is begun before its command line is read, where the line is a plain one.

The judge that an earlier command has left behind is there sooner than what reads a command line
and shows a report; and what most people type says at a glance what is to be judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ..kata.catalogue import known
from .judging import Wishes
from .recognise import kata_of

__all__ = ["begin"]

# Options that change what is shown, and nothing of what is judged.
_SHOWN = {"--json", "--quiet", "-q", "--verbose", "-v", "--trace", "--output", "--record",
          "--no-record"}  # fmt: skip


def begin(given: Sequence[str]) -> None:
    """Have a plain check's one file judged from now on; the command finds it begun.

    given: the whole command line. Where it turns out to ask for anything else than what was
    begun, or for nothing that can be judged, that is dropped.
    """
    words = [word for word in given[1:] if word not in _SHOWN]
    if given[:1] != ["check"] or not 1 <= len(words) <= 2:
        return
    kata = known(words[0])
    if kata is not None and len(words) == 1:
        words.append(f"{kata.id}.py")
    file = Path(words[-1])
    if len(words) != 1 + (kata is not None) or not file.is_file():
        return
    # Whatever is wrong with it, the command itself says so in a moment.
    with suppress(Exception):
        kata = kata or kata_of(file, words[-1], "check")
        from ..checker import begin_ahead

        begin_ahead(kata.id, file, Wishes(language="en").options())
