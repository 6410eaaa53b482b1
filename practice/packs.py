"""Packs of katas of a person's own: which there are, which are trusted, which katas of them count.

A pack's model answers and lessons run as the judge's own code does, so none counts before somebody
has said yes to it: to what it holds now, or to whatever its folder will hold.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .. import __version__
from ..kata.packs import content, declared, kata_folders, room_of, take
from .errors import Refusal, Trouble
from .home import alone, reason, settings_folder, write_whole

__all__ = ["VARIABLE", "Pack", "named", "settle", "trust"]

# Folders, as PATH has them; what the command itself has settled is in another variable.
VARIABLE = "ATTN_KATA_KATAS"
_FILE = "packs.json"
# Problems of one pack that are told before the rest is counted.
_MOST = 3

Linter = Callable[[Path], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A pack that somebody names. home: its folder; by: the option, variable or package."""

    home: Path
    by: str


@dataclass(slots=True, kw_only=True)
class _Known:
    """What is remembered of a folder of katas.

    trusted: the digest of what was agreed to, `always` where that is whatever is there.
    linted: the version that looked through it last and the digest of what it saw; problems: what
    came of it.
    """

    trusted: str = ""
    linted: str = ""
    problems: tuple[str, ...] = ()


_ALWAYS = "always"


def named(given: Sequence[str], setting: str) -> Iterator[Pack | Trouble]:
    """Yield every pack that is asked for, by option, variable, setting or an installed package."""
    told = [("--katas", one) for one in given]
    told += [(VARIABLE, one) for one in os.environ.get(VARIABLE, "").split(os.pathsep)]
    told += [("attn-kata config katas", one) for one in setting.split(os.pathsep)]
    for by, text in told:
        home = Path(text).expanduser()
        if text and not home.is_dir():
            yield Trouble("pack-missing", {"folder": text, "by": by})
        elif text:
            yield Pack(home=home, by=by)
    for name, home in declared():
        if home is None:
            yield Trouble("pack-missing", {"folder": name, "by": "attn_kata.katas"})
        else:
            yield Pack(home=home, by=name)


def settle(
    packs: Iterable[Pack | Trouble], ask: Callable[[Pack], bool], lint: Linter
) -> list[Trouble]:
    """Have the katas of trusted packs count from here on, and return what keeps others out.

    ask: whether the person, who may not be there, agrees to a pack now. A kata in which lint finds
    a problem is left out, and so is one whose name another has; all others count.
    """
    troubles: list[Trouble] = []
    # Those of a command that started this one are settled anew.
    take(())
    own = kata_folders()
    found = list(own)
    for pack in packs:
        if isinstance(pack, Trouble):
            troubles.append(pack)
            continue
        room = room_of(pack.home)
        try:
            held = content(room)
            known = _agreed(room, held, lambda pack=pack: ask(pack))
            if known is None:
                where = {"folder": str(pack.home), "by": pack.by}
                troubles.append(Trouble("pack-untrusted", where))
                continue
            # What was sound may be wrong for another version of the program.
            looked = f"{__version__} {held}"
            if known.linted != looked:
                known.linted, known.problems = looked, tuple(lint(room))
                _remember(room, known)
        except OSError as fault:
            where = {"folder": str(pack.home), "reason": reason(fault)}
            troubles.append(Trouble("pack-unreadable", where))
            continue
        troubles += _told(pack, known.problems)
        # A problem begins with the file, in the folder of its kata.
        faulty = {problem.split("/")[1] for problem in known.problems}
        for folder in sorted(path.parent for path in room.glob("*/kata.toml")):
            if folder.name in {one.name for one in found}:
                troubles.append(Trouble("pack-name", {"folder": str(folder), "name": folder.name}))
            elif folder.name not in faulty:
                found.append(folder)
    take(found[len(own) :])
    return troubles


def trust(folder: Path, *, always: bool, withdrawn: bool) -> Path:
    """Agree to a pack, or no longer; return its folder of katas. Raise Refusal."""
    if not folder.is_dir():
        raise Refusal("pack-none", folder=str(folder))
    room = room_of(folder)
    try:
        _remember(room, _Known(trusted="" if withdrawn else _ALWAYS if always else content(room)))
    except OSError as fault:
        raise Refusal("cannot-write", file=str(_path()), reason=reason(fault)) from None
    return room


def _agreed(room: Path, held: str, ask: Callable[[], bool]) -> _Known | None:
    """What is known of a room that may be used; None where nobody agrees to what it holds."""
    known = _all().get(str(room), _Known())
    if known.trusted in {_ALWAYS, held}:
        return known
    if not ask():
        return None
    _remember(room, fresh := _Known(trusted=held))
    return fresh


def _told(pack: Pack, problems: Sequence[str]) -> Iterator[Trouble]:
    for problem in problems[:_MOST]:
        yield Trouble("pack-problem", {"folder": str(pack.home), "problem": problem})
    if len(problems) > _MOST:
        more = {"folder": str(pack.home), "count": len(problems) - _MOST}
        yield Trouble("pack-more", more)


def _path() -> Path:
    return settings_folder() / _FILE


def _all() -> dict[str, _Known]:
    """What is remembered; nothing where the file cannot be read, so that people are asked again."""
    try:
        rows = json.loads(_path().read_text("utf-8"))
        return {
            room: _Known(
                trusted=str(row["trusted"]),
                linted=str(row["linted"]),
                problems=tuple(map(str, row["problems"])),
            )
            for room, row in rows.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _remember(room: Path, known: _Known) -> None:
    path = _path()
    with alone(path.parent):
        rows = {**_all(), str(room): known}
        text = json.dumps({name: asdict(row) for name, row in rows.items()}, indent=1)
        write_whole(path, text.encode())
