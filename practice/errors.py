"""What goes wrong on the person's side, as data. Imports nothing of ours.

Refusal     a command that cannot be done; the command line draws it and exits with 2
Trouble     something that could not be remembered; it is said, and the command goes on
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Refusal", "Trouble"]


class Refusal(Exception):
    """A command cannot be done. key and values name a sentence of the messages table.

    notes: (label, text or key of a sentence, values) rows below it.
    commands: what to type instead.
    """

    def __init__(
        self,
        key: str,
        *,
        notes: tuple[tuple[str, str], ...] = (),
        commands: tuple[str, ...] = (),
        **values: object,
    ) -> None:
        super().__init__(key)
        self.key = key
        self.notes = notes
        self.commands = commands
        self.values = values


@dataclass(frozen=True, slots=True)
class Trouble:
    """A sentence's key and its values."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict[str, object])
