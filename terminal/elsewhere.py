"""Another folder's file is taken only where somebody says so."""

from __future__ import annotations

from ..practice.errors import Refusal
from ..practice.targets import Target
from .screen import Screen
from .text import safe

__all__ = ["settled"]


def settled(screen: Screen, target: Target, command: str) -> Target:
    """Return a target that may be taken. Raise Refusal with what to type where it may not."""
    if not target.elsewhere:
        return target
    kata, file = target.kata.id, str(target.file)
    question = screen.say("elsewhere-ask", kata=kata, file=safe(file))
    if screen.may_ask and screen.ask(question):
        return target
    commands = (f"{command} {kata} {{file}}", f"start {kata}")
    raise Refusal("elsewhere", kata=kata, file=file, commands=commands)
