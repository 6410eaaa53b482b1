"""Which function of a file is meant, and which of its arguments takes what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from torch import Tensor

from ...kata.functions import Argument, Function
from ..process.answers import Entry, Parameter
from ..process.laid import Lies
from ..process.requests import Call, Handed, Input
from ..vocabulary import foreign, forward_role, words
from .given import Given

__all__ = ["Bound", "found", "handed_over", "unasked", "ways"]

# Rotary tables; where a call begins; what a forward pass has made, by words and by letters.
_TABLES = {"cos", "sin", "freqs", "cis", "freq", "rope", "rotary", "emb", "embeddings"}
_PLACES = {"start", "input", "pos", "position", "positions", "ids", "offset", "step"}
_PASS = {"weights", "attn", "probs", "lse", "logsumexp", "saved", "ctx", "stats"}
_STEPS = {"O", "L", "P", "S", "A", "o", "l", "p", "out", "output", "attention_output"}
_ROLES = {"query", "key", "value", "mask", "causal", "x", "lengths"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One way to call a function: the kata's arguments that go by place, then by name.

    named: by the kata's name the submission's own. missing: what it has no argument for.
    needed: masks that may be left out, and that it cannot do without: it is given None for them.
    switched: switches of the cache, or of causality, that are off by default, and are turned on.
    fed: its further arguments that get one of the kata's as well. fixed: those that get a
    constant, of which `unasked` are none of the kata's. twice: the kata's arguments that it has
    not, with the one that stands for both. usual: defaults, for what is left out before the last
    that goes by place.
    """

    name: str
    placed: tuple[str, ...]
    named: dict[str, str]
    missing: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    switched: tuple[str, ...] = ()
    fed: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, Any] = field(default_factory=dict)
    twice: dict[str, str] = field(default_factory=dict)
    unasked: tuple[str, ...] = ()
    usual: dict[str, Any] = field(default_factory=dict)

    def call(
        self, given: Given, handed: dict[str, Tensor], *,
        lies: Mapping[str, Lies], keep: Sequence[str] = (),
    ) -> Call:  # fmt: skip
        """Write a call as the candidate's process takes it.

        handed: the tensors as they go over. lies: how those lie that are not contiguous. keep:
        those that keep their dtype.
        """

        def item(name: str) -> Handed:
            name = given.twice.get(name, name)
            if name in handed:
                return Input(name=name, lies=lies.get(name, ""), keep=name in keep)
            return given.plain.get(name, self.usual.get(name))

        args = [item(name) for name in self._by_place(given)]
        kwargs = {
            own: item(name)
            for name, own in self.named.items()
            if given.twice.get(name, name) in handed or name in given.plain or name in self.needed
        }
        kwargs |= {own: item(name) for own, name in self.fed.items()}
        kwargs |= self.fixed | dict.fromkeys(self.switched, True)
        return Call(args=args, kwargs=kwargs, inputs=handed)

    def _by_place(self, given: Given) -> list[str]:
        """What goes by place; at its end what was left out is left out."""
        names = list(self.placed)
        while names and names[-1] in given.left:
            names.pop()
        return names


def found(
    functions: Sequence[Function], entries: Sequence[Entry], wanted: str | None
) -> dict[str, Entry]:
    """Say which of a file's functions is which of those asked for, as far as that is clear.

    wanted: the name given with `--class`, where one function is asked for.
    """
    if wanted is not None and len(functions) == 1:
        named = [entry for entry in entries if entry.name == wanted]
        return {functions[0].name: named[-1]} if named else {}
    taken: dict[str, Entry] = {}
    by_name = {entry.name: entry for entry in entries}
    for function in functions:
        for name in (function.name, *function.also):
            if name in by_name and function.name not in taken:
                taken[function.name] = by_name[name]
    free = _free(entries, taken)
    for function in functions:
        if function.name not in taken:
            alike = {"".join(words(entry.name)): entry for entry in free}
            near = get_close_matches("".join(words(function.name)), alike, n=1, cutoff=0.8)
            if near:
                taken[function.name] = alike[near[0]]
                free = _free(entries, taken)
    left = [function for function in functions if function.name not in taken]
    for function in left:
        # One function with a switch may be both the plain and the causal one.
        both = [one for one in taken.values() if _causal(function, one.arguments or ())]
        taken.update({function.name: both[0]} if both else {})
    if len(left) == 1 and len(functions) == 1:
        free = [entry for entry in free if not entry.name.startswith("_")] or free
        fitting = [entry for entry in free if _takes(left[0], entry)]
        chosen = [one for one in free if _fed(left[0], one)] if len(free) == 1 else fitting
        if len(chosen) == 1:
            taken[left[0].name] = chosen[0]
    return taken


def _free(entries: Sequence[Entry], taken: dict[str, Entry]) -> list[Entry]:
    used = [id(entry) for entry in taken.values()]
    return [entry for entry in entries if id(entry) not in used]


def _takes(function: Function, entry: Entry) -> bool:
    """Whether a function's signature could be that of the one asked for."""
    bound = next(ways(function, entry), None)
    named = [] if bound is None else [n for n, own in bound.named.items() if _same(n, own)]
    needed = [one for one in function.arguments if not one.optional]
    return bound is not None and len(named) >= len(needed)


def _fed(function: Function, entry: Entry) -> bool:
    """Whether a function has room for the tensors of the one asked for: no helper for masks has."""
    if entry.arguments is None or any(p.kind == "VAR_POSITIONAL" for p in entry.arguments):
        return True
    _, _, left = _matched(function, entry.arguments, by_name=False)
    needed = [one for one in function.arguments if one.tensor and not one.optional]
    return not needed or any(one not in left for one in needed)


def _same(name: str, own: str) -> bool:
    return name == own or forward_role(name) == forward_role(own)


def ways(function: Function, entry: Entry) -> Iterator[Bound]:
    """Yield the ways to call a function: by name and meaning first, then in the order asked for."""
    parameters = entry.arguments
    order = tuple(one.name for one in function.arguments)
    if parameters is None:
        yield Bound(name=entry.name, placed=order, named={})
        return
    first = _bound(function, entry.name, parameters, by_name=True)
    if first is not None:
        yield first
    bound = _bound(function, entry.name, parameters, by_name=False)
    if bound is not None and not _misnamed(function, bound, synonyms=first is None):
        yield bound


def unasked(function: Function, entry: Entry) -> list[str]:
    """The parameters that have no default and that no argument of the kata goes to."""
    named, free, _ = _matched(function, entry.arguments or [], by_name=True)
    fed = _thrice(function, named, free)
    return [one.name for one in free if not one.has_default and one.name not in fed]


def _misnamed(function: Function, bound: Bound, *, synonyms: bool) -> bool:
    """Whether an argument goes to a parameter that has another argument's very name.

    synonyms: or one of its other names.
    """
    names = {
        one.name: {one.name, *(one.also if synonyms else ())} for one in function.arguments
    }  # fmt: skip
    return any(
        own in known and other != name and own not in names[name]
        for name, own in bound.named.items() for other, known in names.items()
    )  # fmt: skip


def _bound(
    function: Function, name: str, parameters: Sequence[Parameter], *, by_name: bool
) -> Bound | None:
    """Match arguments with parameters; None where one is left that has no default."""
    named, free, rest = _matched(function, parameters, by_name=by_name)
    fed = _thrice(function, named, free)
    if any(not one.has_default and one.name not in fed for one in free):
        return None
    if any(one.kind == "VAR_KEYWORD" for one in parameters):
        named.update({one.name: one.name for one in rest if one.optional})
        rest = [one for one in rest if not one.optional]
    swallows = any(one.kind == "VAR_POSITIONAL" for one in parameters)
    bound = _placed(function, name, parameters, named, rest if swallows else [])
    return replace(bound, fed=fed)


def _thrice(function: Function, named: dict[str, str], free: Sequence[Parameter]) -> dict[str, str]:
    """The further parameters of self-attention that is written for queries, keys and values."""
    own = named.get("x")
    needed = [one.name for one in free if not one.has_default]
    three = {"query", "key", "value"}
    if function.module is None or own is None:
        return {}
    roles = {name: forward_role(name) for name in (own, *needed)}
    return dict.fromkeys(needed, "x") if three == {*roles.values()} else {}


def _matched(
    function: Function, parameters: Sequence[Parameter], *, by_name: bool
) -> tuple[dict[str, str], list[Parameter], list[Argument]]:
    """Give arguments parameters; return these pairs, the parameters left and the arguments left."""
    free = [one for one in parameters if not one.kind.startswith("VAR_")]
    named: dict[str, str] = {}
    if by_name:
        for test in (_exactly, _synonym, _meaning):
            for argument in function.arguments:
                if argument.name not in named:
                    own = next((p.name for p in free if test(argument, p.name)), None)
                    if own is not None:
                        named[argument.name] = own
                        free = [p for p in free if p.name != own]
    rest = [one for one in function.arguments if one.name not in named]
    swallows = any(one.kind == "VAR_POSITIONAL" for one in parameters)
    for argument in list(rest):
        # What may be left out is not pressed upon an argument that means something else.
        own = next((p for p in free if not (argument.optional and p.has_default
                                            and _says_other(p.name))
                                       and not _kept_from(argument, p)
                                       and not _unlike(argument, p)), None)  # fmt: skip
        if own is not None and not (swallows and own.kind == "KEYWORD_ONLY"):
            named[argument.name] = own.name
            free = [p for p in free if p is not own]
            rest.remove(argument)
    return named, free, rest


def _placed(
    function: Function,
    name: str,
    parameters: Sequence[Parameter],
    named: dict[str, str],
    rest: Sequence[Argument],
) -> Bound:
    """Put by place what Python takes by place alone."""
    back = {own: asked for asked, own in named.items()}
    alone = [p.name for p in parameters if p.kind == "POSITIONAL_ONLY"]
    if rest:
        alone = [p.name for p in parameters if p.kind.startswith("POSITIONAL")]
    placed = [back[own] for own in alone if own in back] + [one.name for one in rest]
    named = {asked: own for asked, own in named.items() if asked not in placed}
    missing = [one.name for one in function.arguments if one.name not in (*placed, *named)]
    # What is no mask by its name is something else that nobody gives.
    without = {
        p.name for p in parameters
        if not p.has_default and forward_role(p.name) in {"mask", "padding"}
    }  # fmt: skip
    masks = {one.name for one in function.arguments if one.kind == "mask" and one.optional}
    needed = tuple(asked for asked, own in named.items() if asked in masks and own in without)
    switched = tuple(
        p.name for p in parameters
        if (function.state and _caches(p)) or _causal(function, [p])
    )  # fmt: skip
    return Bound(
        name=name, placed=tuple(placed), named=named, missing=tuple(missing), needed=needed,
        switched=switched, usual={one.name: one.default for one in rest if one.optional},
    )  # fmt: skip


def _caches(parameter: Parameter) -> bool:
    """Whether a parameter is a switch, off by default, without which no cache is handed on."""
    have = set(words(parameter.name))
    return parameter.default is False and bool(have & {"cache", "kv", "past", "present"})


def _causal(function: Function, own: Sequence[Parameter]) -> bool:
    """Whether a function is causal by its name alone, and an entry by a switch that is off."""
    asked = any(one.name == "causal" for one in function.arguments)
    return not asked and "causal" in words(function.name) and any(
        forward_role(p.name) == "causal" and p.default is False
        for p in own
    )  # fmt: skip


def _exactly(argument: Argument, own: str) -> bool:
    return argument.name == own


def _synonym(argument: Argument, own: str) -> bool:
    return own in argument.also or words(own) == words(argument.name)


def _meaning(argument: Argument, own: str) -> bool:
    role = forward_role(own)
    if argument.kind == "mask":
        return role in {"mask", "padding"}
    return role in _ROLES and role != "x" and role == forward_role(argument.name)


def _kept_from(argument: Argument, own: Parameter) -> bool:
    """Whether a parameter is a table, a position or a step of an earlier pass, which no kata gives.

    Such a one gets no number, no switch and no cache in its place.
    """
    if argument.kind in {"normal", "mask", "integers", "booleans", "probabilities", "uniform"}:
        return False
    if _synonym(argument, own.name):
        return False
    return handed_over(own.name) is not None


def _unlike(argument: Argument, own: Parameter) -> bool:
    """Whether a parameter plainly takes another kind of thing: a device, a number, a switch."""
    default, annotation = own.default if own.has_default else None, own.annotation
    switch = type(default) is bool or annotation == "bool"
    number = type(default) in {int, float} or annotation in {"int", "float"}
    if foreign(own.name, annotation) == "cache" and argument.kind != "state":
        return True
    if {"device", "dtype"} & {*words(own.name)} or annotation == "str" or type(default) is str:
        return argument.kind != "choice" or type(argument.default) is bool
    if argument.kind == "choice":
        return number and type(argument.default) is bool
    return switch or (number and argument.kind != "size")


def handed_over(own: str) -> str | None:
    """What people hand over and no kata does: tables, position or pass; None for what may be."""
    have, kind = set(words(own)), foreign(own)
    if have & _TABLES:
        return "tables"
    if kind == "count" or have <= _PLACES:
        return "position"
    return "pass" if own in _STEPS or have & _PASS else None


def _says_other(own: str) -> bool:
    """Whether a name plainly means what no argument of attention's is."""
    return bool(
        set(words(own)) & {"dropout", "p", "scale", "training", "eps", "return", "need", "dtype"}
    )
