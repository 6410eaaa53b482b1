"""What was wrong with a command line, in our words.

typer raises click's exceptions, from click or from a copy of it that it brings along, so
they are told apart by what they carry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..kata.catalogue import known
from ..practice.errors import Refusal
from ..practice.recognise import ENDINGS
from ..practice.surroundings import Cuda
from .refusal import listed, refusal_lines
from .screen import Screen
from .text import Line
from .words import knows, say

__all__ = ["is_usage_fault", "refused", "usage_lines"]

_NAMED = re.compile(r"No such command ['\"](.*?)['\"](?:\.|$)", re.DOTALL)
# What to type with what stands in a command's place.
_WITH = {
    "no-command-kata": ("show {name}", "start {name}", "check {name}"),
    "no-command-file": ("check {name}", "watch {name}"),
}
_EXTRA = re.compile(r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)", re.DOTALL)


def is_usage_fault(fault: BaseException) -> bool:
    """Whether an exception is about how the command was typed."""
    return hasattr(fault, "format_message") and hasattr(fault, "exit_code")


def usage_lines(fault: Any, typed: Sequence[str], language: str, width: int) -> list[Line]:
    """Draw a fault of the command line, with where its help is.

    typed: the names of commands in it, for an option without its value is raised with no context.
    """
    key, values = _understood(fault, language)
    context = getattr(fault, "ctx", None)
    path = context.command_path.split(" ", 1)[1:] if context is not None else typed[:1]
    commands = _WITH.get(key, (" ".join([*path, "--help"]),))
    return refusal_lines(key, values, (), commands, language=language, width=width)


def refused(refusal: Refusal, screen: Screen) -> list[Line]:
    """Draw a refusal in the screen's language."""
    values = dict(refusal.values)
    found = values.get("found")
    if isinstance(found, Cuda):
        values["found"] = screen.say(found.key, **found.values)
    return refusal_lines(
        refusal.key, values, refusal.notes, refusal.commands,
        language=screen.language, width=screen.err.width,
    )  # fmt: skip


def _understood(fault: Any, language: str) -> tuple[str, dict[str, object]]:
    message = str(fault.format_message())
    option = getattr(fault, "option_name", None)
    parameter = getattr(fault, "param", None)
    kind = type(fault).__name__
    if kind == "NoSuchOption":
        return _nearest("no-option", option, getattr(fault, "possibilities", None) or ())
    if kind == "BadOptionUsage":
        return "needs-value", {"name": option}
    if kind == "MissingParameter" and parameter is not None:
        return "missing-argument", {"name": _spelling(parameter)}
    if parameter is not None:
        return "bad-value", {"name": _spelling(parameter), "wanted": _wanted(parameter, language)}
    if found := _NAMED.match(message):
        commands = getattr(getattr(fault.ctx, "command", None), "commands", {})
        if Path(found[1]).suffix in ENDINGS:
            return "no-command-file", {"name": found[1]}
        if not getattr(fault.ctx, "parent", None) and known(found[1]) is not None:
            return "no-command-kata", {"name": found[1]}
        near = get_close_matches(found[1], list(commands), n=2, cutoff=0.5)
        return _nearest("no-command", found[1], near)
    if found := _EXTRA.match(message):
        return "too-many", {"names": found[1]}
    return "bad-usage", {"reason": message.rstrip(".")}


def _wanted(parameter: Any, language: str) -> str:
    metavar = parameter.metavar or ""
    if "|" in metavar:
        return say("wants-one-of", language, names=listed(metavar.split("|"), language))
    key = f"wants-{metavar.strip('[]')}"
    what = say(key, language) if knows(key) else metavar
    # An older typer keeps the bounds in the type.
    holder = getattr(parameter, "type", parameter)
    low, high = (getattr(holder, end, None) for end in ("min", "max"))
    if low is None:
        return what
    key = "wants-from" if high is None else "wants-between"
    return say(key, language, what=what, low=low, high=high)


def _nearest(key: str, name: object, nearest: Any) -> tuple[str, dict[str, object]]:
    near = tuple(f"`{one}`" for one in nearest)
    return (f"{key}-near" if near else key), {"name": name, "nearest": near}


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "option":
        return max(parameter.opts, key=len)
    # Brackets say that it may be left out.
    return (parameter.metavar or parameter.name).strip("[]")
