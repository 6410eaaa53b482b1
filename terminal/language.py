"""Which language to speak: asked for, set in the environment, or the locale's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

__all__ = ["LANGUAGES", "Choice", "Language", "choose"]


class Language(str, Enum):
    """The languages of `--lang`."""

    en = "en"
    zh = "zh"


LANGUAGES = tuple(language.value for language in Language)

_VARIABLE = "ATTN_KATA_LANG"


@dataclass(frozen=True, slots=True)
class Choice:
    """A language's code, and what decided it: an option, a variable or nothing."""

    code: str
    source: str


def choose(arguments: Sequence[str], environment: Mapping[str, str], encoding: str) -> Choice:
    """Pick the language for a command line.

    `--lang` counts wherever it stands before a `--`. A locale that cannot write Chinese
    on this console does not choose it; a person who asks for it gets it.
    """
    asked = _asked(arguments)
    if asked in LANGUAGES:
        return Choice(asked, "--lang")
    wished = environment.get(_VARIABLE, "").lower()
    for code in LANGUAGES:
        if wished.startswith(code):
            return Choice(code, _VARIABLE)
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(variable, "")
        if value:
            chinese = value.lower().startswith("zh") and _writes_chinese(encoding)
            return Choice("zh" if chinese else "en", variable)
    return Choice("en", "")


def _asked(arguments: Sequence[str]) -> str | None:
    asked = None
    following = False
    for argument in arguments:
        if following:
            asked, following = argument, False
        elif argument == "--":
            break
        elif argument == "--lang":
            following = True
        elif argument.startswith("--lang="):
            asked = argument.partition("=")[2]
    return asked


def _writes_chinese(encoding: str) -> bool:
    try:
        "中".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
