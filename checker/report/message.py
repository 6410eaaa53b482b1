"""What is said, as data: the key of a sentence and its values. Standard library only.

The judge says nothing in a language; `sentences` has the words for every key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Union

__all__ = ["Message", "Said", "Value", "said", "say"]

# What may stand in a sentence: several are enumerated.
Value = Union["Message", str, int, float, Sequence[Union["Message", str]], None]
# A sentence, or what reads the same in every language: nothing, or a name of the code's.
Said = Union["Message", str]

_PLAIN = (str, int, float, type(None))


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence by its key, with its values.

    The value called `line` is a line of the file: in a notebook it is told by its cell.
    """

    key: str
    values: dict[str, Any] = field(default_factory=dict[str, Any])

    def __hash__(self) -> int:
        """By the key alone: values may be lists."""
        return hash(self.key)


def say(key: str, **values: Value) -> Message:
    """Make a message. Raise TypeError for a value that no report can carry."""
    for name, value in values.items():
        parts = value if isinstance(value, list) else [value]
        odd = next((one for one in parts if not isinstance(one, (Message, *_PLAIN))), None)
        if odd is not None:
            raise TypeError(f"{key}: {name} is a {type(odd).__name__}, which no report carries")
    return Message(key, dict(values))


def said(data: Any) -> Any:
    """Build a message from `dataclasses.asdict`'s form; anything else is returned as it is."""
    if isinstance(data, list):
        return [said(one) for one in data]
    if not isinstance(data, dict):
        return data
    return Message(data["key"], {name: said(value) for name, value in data["values"].items()})
