"""How forward is called: which argument takes which input, the mask, a switch or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...kata.catalogue import Contract
from ...kata.functions import Function
from ..process.answers import Entry, Parameter
from ..vocabulary import foreign, forward_role, words
from .find import Bound

__all__ = ["STARRED", "bounds"]

STARRED = {"VAR_POSITIONAL", "VAR_KEYWORD"}
_INPUTS = {"x", "query", "key", "value", "context"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """Which input goes to which forward argument.

    sources: argument → query, key, value, context, x or a constant in a tuple of one.
    mask: the argument that takes the mask. optional: whether it has a default. unasked:
    arguments without a default that are none of the kata's, and get nothing.
    """

    sources: tuple[tuple[str, str | tuple[Any]], ...]
    mask: str | None = None
    optional: bool = True
    unasked: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()


def bounds(function: Function, entry: Entry, contract: Contract) -> Iterator[Bound]:
    """Yield ways to call the forward of attention, the likeliest first.

    One of self-attention may take its input as query, key and value, and one of cross-attention
    its keys and values from one argument.
    """
    signature = entry.arguments or []
    for plan in _plans(signature, contract):
        yield _bound(plan, function, entry.name, signature)


def _bound(plan: _Plan, function: Function, name: str, signature: list[Parameter]) -> Bound:
    twice = {"value": "key"} if "context" in dict(plan.sources).values() else {}
    given = [(own, "key" if source == "context" else source) for own, source in plan.sources]
    mask = function.mask
    if plan.mask is not None and mask is not None:
        given.append((plan.mask, mask.name))
    asked = [(own, source) for own, source in given if isinstance(source, str)]
    named: dict[str, str] = {}
    for own, source in asked:
        # Others that are fed the same come beside it.
        named.setdefault(source, own)
    known = {*named.values(), *plan.positional}
    fixed = {own: source[0] for own, source in given if not isinstance(source, str)}
    back = dict(asked)
    off = {one.name for one in signature if one.default is False}
    return Bound(
        name=name,
        placed=tuple(back[own] for own in plan.positional),
        named={source: own for source, own in named.items() if own not in plan.positional},
        fed={own: source for own, source in asked if own not in known},
        fixed=fixed,
        twice=twice,
        unasked=plan.unasked,
        switched=tuple(own for own in fixed if fixed[own] is True and own in off),
        missing=() if mask is None or mask.name in named else (mask.name,),
        needed=() if plan.optional or mask is None else (mask.name,),
    )  # fmt: skip


def _plans(signature: list[Parameter], contract: Contract) -> list[_Plan]:
    """Return ways to call forward, the likeliest first."""
    named = [p for p in signature if p.kind not in STARRED]
    if not named and any(p.kind == "VAR_POSITIONAL" for p in signature):
        return [*_by_place(contract, keywords=_starred(signature))]
    plan = (_cross if contract.source == "cross" else _self)(named, contract)
    plans = [plan]
    if plan.mask is None and contract.masks and _starred(signature):
        plan = replace(plan, mask=contract.forward[-1].split("=")[0])
        return [plan]
    if plan.mask is not None:
        plans = [replace(plan, optional=not _required(named, plan.mask))]
    if contract.source == "cross":
        plans += [swapped for old in plans if (swapped := _swapped(old)) is not None]
    return plans


def _by_place(contract: Contract, *, keywords: bool) -> Iterator[_Plan]:
    """What takes anything, as what is decorated seems to, is called by place.

    keywords: whether it takes those too, so that a mask may go by its name.
    """
    sources = ("query", "key", "value") if contract.source == "cross" else ("x",)
    pairs = tuple((source, source) for source in sources)
    mask = contract.forward[-1].split("=")[0] if contract.masks else None
    if mask is not None:
        yield _Plan(sources=pairs, positional=(*sources, mask), mask=mask)
        if keywords:
            yield _Plan(sources=pairs, positional=sources, mask=mask)
    yield _Plan(sources=pairs, positional=sources)


def _swapped(plan: _Plan) -> _Plan | None:
    """The other reading of two inputs whose names do not say which one asks.

    `forward(x, y)` is written both ways; only the output's length tells.
    """
    given = dict(plan.sources)
    turned = {"query": "context", "context": "query"}
    if set(given.values()) != {"query", "context"}:
        return None
    sources = tuple((n, turned[s] if isinstance(s, str) else s) for n, s in plan.sources)
    return replace(plan, sources=sources)


def _starred(signature: list[Parameter]) -> bool:
    return any(p.kind == "VAR_KEYWORD" for p in signature)


def _required(named: list[Parameter], name: str) -> bool:
    return any(p.name == name and not p.has_default for p in named)


def _roles(named: list[Parameter]) -> dict[str, str | None]:
    """What each argument asks for; "own" where it is none of the kata's and keeps its default."""
    strangers = {p.name: foreign(p.name, p.annotation) for p in named}
    if all(strangers.values()):
        # Whatever it is called, one of them has to be the input.
        strangers = dict.fromkeys(strangers)
    roles = {}
    for parameter in named:
        role = forward_role(parameter.name)
        strange = strangers[parameter.name]
        kept = parameter.has_default and parameter.default is not None
        switch = parameter.annotation == "bool" or isinstance(parameter.default, bool)
        if switch and "causal" in words(parameter.name):
            role = "causal"
        elif strange is not None:
            role = strange
        elif kept and role not in {"causal", "mask", "padding"}:
            role = "own"
        roles[parameter.name] = role
    return roles


def _nothing(role: str | None) -> tuple[Any]:
    """What an argument without a default gets where it is none of the kata's."""
    return ({"switch": False, "count": 0}.get(role or ""),)


def _self(named: list[Parameter], contract: Contract) -> _Plan:
    sources: list[tuple[str, str | tuple[Any]]] = []
    roles = _roles(named)
    mask = _mask_argument(named, roles, contract)
    unknown = [p for p in named if roles[p.name] is None and not p.has_default]
    has_input = any(roles[p.name] in _INPUTS and not p.has_default for p in named)
    for parameter in named:
        name, role = parameter.name, roles[parameter.name]
        if name == mask:
            continue
        if role in _INPUTS and not parameter.has_default:
            sources.append((name, "x"))
        elif role == "causal":
            sources.append((name, (contract.causal,)))
        elif parameter.has_default:
            continue
        elif parameter in unknown and _is_input(parameter, unknown, has_input=has_input):
            sources.append((name, "x"))
        elif parameter in unknown and mask is None and contract.masks:
            mask = name
        else:
            sources.append((name, _nothing(role)))
    return _plan(named, sources, mask, roles)


def _is_input(parameter: Parameter, unknown: list[Parameter], *, has_input: bool) -> bool:
    place = unknown.index(parameter)
    if has_input:
        return False
    return place == 0 or (len(unknown) >= 3 and place < 3)


def _cross(named: list[Parameter], contract: Contract) -> _Plan:
    roles = _roles(named)
    nameless = [p for p in named if roles[p.name] is None]
    unknown = [p.name for p in nameless if not p.has_default]
    slots = _slots(named, roles, bool(nameless))
    missing = [role for role in ("query", "key", "value") if role not in slots.values()]
    if "context" in slots.values():
        missing = [role for role in missing if role == "query"]
    if len(unknown) < len(missing):
        # What defaults to None may be the second sequence: `forward(x, xa=None)`.
        optional = [p.name for p in nameless if p.has_default]
        unknown += optional[: max(1, len(missing) - len(unknown))]
    left = [p for p in named if p.name not in unknown]
    mask = _mask_argument(left, {p.name: roles[p.name] for p in left}, contract)
    order = missing
    if len(unknown) < len(missing) and missing != ["key"]:
        order = ["query", "context"][-len(unknown) :] if unknown else []
    slots.update(zip(unknown, order, strict=False))
    sources: list[tuple[str, str | tuple[Any]]] = []
    for parameter in named:
        name = parameter.name
        if name == mask:
            continue
        if name in slots:
            sources.append((name, slots[name]))
        elif roles[name] == "causal":
            sources.append((name, (False,)))
        elif not parameter.has_default:
            if mask is None and name in unknown:
                mask = name
            else:
                sources.append((name, _nothing(roles[name])))
    return _plan(named, sources, mask, roles)


def _slots(
    named: list[Parameter],
    roles: dict[str, str | None],
    others: bool,  # noqa: FBT001
) -> dict[str, str]:
    """The inputs that names tell, one argument each, those that must be given first.

    others: whether further arguments may be inputs.
    """
    slots: dict[str, str] = {}
    for parameter in sorted(named, key=lambda one: one.has_default):
        name = parameter.name
        role = roles[name]
        have = set(slots.values())
        if role == "x":
            role = "context" if "query" in {*have, *roles.values()} else "query"
        whole = role == "context" and {"query", "key", "value"} <= {*have, *roles.values()}
        if role in _INPUTS and role not in have and not whole:
            slots[name] = role
    have = set(slots.values())
    alone = have & {"key", "value"} if "context" not in have else set()
    if alone == {"key"} or (alone == {"value"} and not others):
        # Keys and values from the one that is there.
        slots = {n: ("context" if r in {"key", "value"} else r) for n, r in slots.items()}
    return slots


def _mask_argument(
    named: list[Parameter], roles: dict[str, str | None], contract: Contract
) -> str | None:
    if not contract.masks:
        return None
    masks = [p.name for p in named if roles[p.name] == "mask"]
    plain = [n for n in masks if n.lower() in {"mask", "attention_mask", "attn_mask"}]
    padding = [p.name for p in named if roles[p.name] == "padding"]
    # An optional argument of another name ("masque", "keep") can only be the mask.
    other = [p.name for p in named if roles[p.name] is None and p.has_default and p.default is None]
    return next(iter([*plain, *masks, *padding, *other]), None)


def _plan(
    named: list[Parameter],
    sources: list[tuple[str, str | tuple[Any]]],
    mask: str | None,
    roles: dict[str, str | None],
) -> _Plan:
    order = [p.name for p in named]
    # Arguments are given by name, save those that Python takes by place alone.
    positional = tuple(p.name for p in named if p.kind == "POSITIONAL_ONLY")
    return _Plan(
        sources=tuple(sorted(sources, key=lambda pair: order.index(pair[0]))),
        mask=mask,
        unasked=tuple(n for n, s in sources if isinstance(s, tuple) and roles[n] != "causal"),
        positional=positional,
    )
