"""Which language to speak, and whether in colour: asked for, set, or as the surroundings are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

__all__ = [
    "LANGUAGES", "Choice", "Colour", "Language", "asked", "choose", "choose_colour",
    "command_in", "given",
]  # fmt: skip


class Language(str, Enum):
    """The languages of `--lang`."""

    en = "en"
    zh = "zh"


class Colour(str, Enum):
    """The values of `--color`."""

    auto = "auto"
    always = "always"
    never = "never"


LANGUAGES = tuple(language.value for language in Language)

# What may stand before a command, with its value as a word of its own.
_VALUED = ("--lang", "--color", "--katas")
_VARIABLE = "ATTN_KATA_LANG"


@dataclass(frozen=True, slots=True)
class Choice:
    """A language's code, and what decided it: an option, a variable, the settings or nothing."""

    code: str
    source: str


def choose(
    arguments: Sequence[str], environment: Mapping[str, str], encoding: str, setting: str = ""
) -> Choice:
    """Pick the language for a command line. setting: what the settings say.

    `--lang` counts wherever it stands before a `--`. A locale that cannot write Chinese
    on this console does not choose it; a person who asks for it gets it.
    """
    wanted = asked(arguments, "--lang")
    if wanted in LANGUAGES:
        return Choice(wanted, "--lang")
    wished = environment.get(_VARIABLE, "").lower()
    for code in LANGUAGES:
        if wished.startswith(code):
            return Choice(code, _VARIABLE)
    if setting in LANGUAGES:
        return Choice(setting, "attn-kata config lang")
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(variable, "")
        if value:
            chinese = value.lower().startswith("zh") and _writes_chinese(encoding)
            return Choice("zh" if chinese else "en", variable)
    return Choice("en", "")


def choose_colour(
    arguments: Sequence[str], environment: Mapping[str, str], setting: str = ""
) -> Colour:
    """Pick when to colour: as asked for, as the variables say, or as the settings do."""
    names = {colour.value for colour in Colour}
    wanted = asked(arguments, "--color")
    if wanted in names:
        return Colour(wanted)
    if environment.get("NO_COLOR") or environment.get("FORCE_COLOR"):
        return Colour.auto
    return Colour(setting) if setting in names else Colour.auto


def asked(arguments: Sequence[str], option: str) -> str | None:
    """Return the value that an option is given on a command line, the last one of several."""
    return next(reversed(given(arguments, option)), None)


def given(arguments: Sequence[str], option: str) -> list[str]:
    """Return every value that an option is given on a command line."""
    found: list[str] = []
    following = False
    for argument in arguments:
        if following:
            found, following = [*found, argument], False
        elif argument == "--":
            break
        elif argument == option:
            following = True
        elif argument.startswith(f"{option}="):
            found.append(argument.partition("=")[2])
    return found


def command_in(arguments: Sequence[str]) -> str:
    """Return the command that is typed; another word where something else comes before it."""
    rest = iter(arguments)
    for argument in rest:
        if argument in _VALUED:
            next(rest, None)
        elif not argument.startswith(tuple(f"{option}=" for option in _VALUED)):
            return argument
    return ""


def _writes_chinese(encoding: str) -> bool:
    try:
        "中".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
