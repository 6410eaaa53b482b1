"""`--help`, drawn by ourselves: both languages, any width, nothing heavy to load.

typer's commands come in as they are; they are only read, and given their texts.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

from typer.core import TyperCommand, TyperGroup

from .light import lightly
from .text import Line, cells, wrap, written
from .words import knows, say

__all__ = ["HelpCommand", "HelpGroup", "help_text", "translate"]

_WIDEST = 100
# Options that every command takes.
_EVERYWHERE = {"lang", "color", "katas"}


class HelpCommand(TyperCommand):
    """A command whose help is drawn in the person's language."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page."""
        formatter.write(help_text(self, ctx, ctx.find_root().obj.language))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, which load no more than they have to."""
        return lightly(super().get_params(ctx))


class HelpGroup(TyperGroup):
    """The same for a group of commands, which keep their order."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page."""
        formatter.write(help_text(self, ctx, ctx.find_root().obj.language))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, which load no more than they have to."""
        return lightly(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the commands' names in the order in which they are best learnt."""
        return list(self.commands)


def translate(command: Any, language: str) -> None:
    """Give a program's commands and options their texts, and every command what all take."""
    shared = [param for param in command.params if param.name in _EVERYWHERE]
    for name, one in _commands(command, ""):
        one.help = say(f"command.{name}", language)
        one.params += [param for param in shared if param not in one.params]
        for param in one.params:
            kind = param.param_type_name
            named = (f"{kind}.{name}.{param.name}", f"{kind}.{param.name}")
            param.help = next((say(key, language) for key in named if knows(key)), None)


def help_text(command: Any, context: Any, language: str) -> str:
    """Return a command's help page."""
    from .lists import command_lines

    width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    name = context.command_path.partition(" ")[2]
    lines: list[Line] = [[(row, "")] for row in wrap(command.help, width)]
    lines += [
        [],
        *_labelled(say("help-usage", language), _usage(command, context, language), width),
    ]
    for key, pairs in (
        ("commands", [(one.name, one.help) for one in _children(command).values()]),
        ("arguments", _arguments(command)),
        ("options", _options(command, context, language)),
    ):
        if pairs:
            lines += [[], [(say(f"help-{key}", language), "")], *command_lines(pairs, width)]
    lines += [[], [(f"{say('help-example', language)}  {say(f'example.{name}', language)}", "")]]
    if not name:
        lines += [[], *([(row, "")] for row in wrap(say("help-more", language), width))]
    return "".join(f"{written(line)}\n" for line in lines)


def _labelled(label: str, text: str, width: int) -> list[Line]:
    lead = cells(label) + 2
    first, *rest = wrap(text, width - lead)
    return [[(f"{label}  {first}", "")], *([(" " * lead + row, "")] for row in rest)]


def _commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, child in _children(command).items():
        yield from _commands(child, f"{path} {name}".strip())


def _children(command: Any) -> dict[str, Any]:
    return getattr(command, "commands", {})


def _usage(command: Any, context: Any, language: str) -> str:
    parts = [context.command_path, say("help-any-option", language)]
    parts += [one.metavar for one in command.params if one.param_type_name == "argument"]
    parts += [say("help-a-command", language)] if _children(command) else []
    return " ".join(parts)


def _arguments(command: Any) -> list[tuple[str, str]]:
    found = [one for one in command.params if one.param_type_name == "argument"]
    return [(one.metavar, _named(one.help or "")) for one in found]


def _named(text: str) -> str:
    """Fill in the names of all katas, which only a page that is read needs."""
    if "{katas}" not in text:
        return text
    from ..kata.catalogue import katas

    return text.format(katas=" ".join(kata.id for kata in katas()))


def _options(command: Any, context: Any, language: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for one in command.params:
        if one.param_type_name == "option" and not one.hidden:
            spelling = ", ".join((*one.opts, *one.secondary_opts))
            metavar = f" {one.metavar}" if one.metavar else ""
            pairs.append((spelling + metavar, one.help or ""))
    spelling = ", ".join(context.help_option_names)
    return [*pairs, (spelling, say("option.help", language))]
