"""How a class is made and called: arguments matched by name and synonym, then by order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from ....kata.catalogue import Contract
from ...vocabulary import constructor_role, forward_role
from .plan import Binding, ForwardPlan, StandIn

__all__ = ["bindings"]

_STARRED = {"VAR_POSITIONAL", "VAR_KEYWORD"}
# Forms beside the kata's own last one in which a mask may be needed; no two broadcast alike.
_NEEDED_FORMS = ("BQK", "BK", "B1QK")


def bindings(
    entry: dict[str, Any], sizes: list[dict[str, Any]], contract: Contract, convention: str
) -> Iterator[Binding]:
    """Yield ways to make and call a class, the likeliest first.

    entry: a class as the candidate's process describes it. sizes: numbers in the
    module's globals that its functions read. convention: what a mask means.
    """
    global_roles = tuple(_global_roles(sizes))
    plans = _forward_plans(entry["forward"] or [], contract, convention)
    signature = entry["constructor"] or []
    positional = tuple(p["name"] for p in signature if p["kind"] == "POSITIONAL_ONLY")
    annotations = {p["name"]: p["annotation"] for p in signature}
    for constructor in _constructor_plans(signature, contract):
        for plan in plans:
            yield Binding(
                class_name=entry["name"],
                constructor=constructor,
                forward=plan,
                global_roles=global_roles,
                positional=positional,
                annotations=annotations,
                causal=contract.causal,
            )


def _global_roles(sizes: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for entry in sizes:
        role = constructor_role(entry["name"])
        wanted = {"width", "heads", "head_dim", "length"} if entry["whole"] else {"dropout"}
        if role is not None and role in wanted:
            yield entry["name"], role


def _constructor_plans(
    signature: list[dict[str, Any]], contract: Contract
) -> list[tuple[tuple[str, str], ...]]:
    """Return assignments of roles to constructor arguments, the likeliest first."""
    named = [p for p in signature if p["kind"] not in _STARRED]
    fixed: list[tuple[str, str]] = []
    unknown: list[str] = []
    inner: list[str] = []
    asked = {constructor_role(p["name"]) for p in named if p["default"] is not None}
    for parameter in named:
        role = constructor_role(parameter["name"])
        if role is None:
            if not parameter["has_default"]:
                role = {"float": "dropout", "bool": "flag"}.get(parameter["annotation"])
                if role is None:
                    unknown.append(parameter["name"])
        elif parameter["has_default"] and _leave(role, parameter["default"], asked):
            continue
        elif role == "inner":
            inner.append(parameter["name"])
            continue
        if role is not None:
            fixed.append((parameter["name"], role))
    taken = {role for _, role in fixed}
    wanted = [role for role in _contract_roles(contract) if role not in taken]
    choices = _spread(unknown, wanted)
    inner_choices = [["head_dim", "width"]] if inner and contract.heads == "many" else [["width"]]
    plans: list[tuple[tuple[str, str], ...]] = []
    for choice, meaning in product(choices, inner_choices[0] if inner else ["width"]):
        plans.append((*fixed, *choice, *((name, meaning) for name in inner)))
    widths = [name for name, role in fixed if role == "width"]
    if contract.heads == "many" and len(widths) > 1:
        # A second width can be one head's: (model_size, heads, key_size).
        for whole in (widths[:1], widths[1:]):
            plans.append(
                tuple(
                    (name, "head_dim" if role == "width" and name not in whole else role)
                    for name, role in plans[0]
                )
            )
    anonymous = [p["name"] for p in named if _anonymous_size(p)]
    if anonymous and "width" in wanted:
        # Names in another language, all with defaults: by order.
        plans += [(*fixed, *choice) for choice in _spread(anonymous, wanted)]
        plans.insert(0, plans.pop(len(plans) - len(_spread(anonymous, wanted))))
    starred = [p for p in signature if p["kind"] == "VAR_KEYWORD"]
    if starred and not named:
        names = [argument.split("=")[0] for argument in contract.constructor]
        plans.append(tuple((n, constructor_role(n) or "width") for n in names))
    return plans


def _anonymous_size(parameter: dict[str, Any]) -> bool:
    """An argument whose name says nothing and whose default could be a size."""
    default = parameter["default"]
    whole = isinstance(default, int) and not isinstance(default, bool)
    return constructor_role(parameter["name"]) is None and whole and default > 0


def _contract_roles(contract: Contract) -> list[str]:
    roles = [constructor_role(name.split("=")[0]) for name in contract.constructor]
    return [role for role in roles if role is not None]


def _spread(unknown: list[str], wanted: list[str]) -> list[list[tuple[str, str]]]:
    """Give unknown arguments the wanted roles by order, then in the swapped order."""
    if not unknown:
        return [[]]
    filled = (wanted + ["width"] * len(unknown))[: len(unknown)]
    orders = [filled]
    if len(filled) > 1 and len(set(filled)) > 1:
        orders.append([filled[1], filled[0], *filled[2:]])
    return [list(zip(unknown, order, strict=True)) for order in orders]


def _leave(role: str, default: Any, asked: set[str | None]) -> bool:
    """Whether an argument with a default is best left alone.

    asked: the roles that other arguments ask for; what they say need not be said again.
    """
    if role in {"bias", "device", "dtype", "eps", "flag", "vocabulary", "layers"}:
        return True
    if isinstance(default, int) and default < 0:
        # An axis, such as `dim=-1`.
        return True
    if role == "dropout":
        return False
    if role == "config":
        return False
    if role in {"causal", "yes"}:
        return not isinstance(default, bool)
    return default is None and (role not in {"width", "heads"} or role in asked)


def _forward_plans(
    signature: list[dict[str, Any]], contract: Contract, convention: str
) -> list[ForwardPlan]:
    """Return ways to call forward, the likeliest first."""
    named = [p for p in signature if p["kind"] not in _STARRED]
    plan = (_cross if contract.source == "cross" else _self)(named, contract)
    plans = [plan]
    if plan.mask is None and contract.masks and _starred(signature):
        plan = replace(plan, mask=contract.forward[-1].split("=")[0])
        return [plan]
    if plan.mask is not None:
        plan = replace(plan, optional=not _required(named, plan.mask))
        # Code that cannot do without a mask is judged with one that hides nothing.
        needed = (replace(plan, stand_in=one) for one in _stand_ins(contract, convention))
        plans = [plan, *needed]
    if contract.source == "cross":
        plans += [swapped for old in plans if (swapped := _swapped(old)) is not None]
    if not named and any(p["kind"] == "VAR_POSITIONAL" for p in signature):
        sources = ("query", "key", "value") if contract.source == "cross" else ("x",)
        pairs = tuple((source, source) for source in sources)
        plans = [ForwardPlan(sources=pairs, positional=sources)]
    return plans


def _stand_ins(contract: Contract, convention: str) -> Iterator[StandIn]:
    """Masks that hide nothing, the likeliest to be taken first."""
    own = contract.masks[-1]
    for form in (own, *(form for form in _NEEDED_FORMS if form not in contract.masks)):
        for dtype in ("float",) if convention == "additive" else ("int64", "bool"):
            yield StandIn(form=form, dtype=dtype, worth=int(convention == "keep"))


def _swapped(plan: ForwardPlan) -> ForwardPlan | None:
    """The other reading of two inputs whose names do not say which one asks.

    `forward(x, y)` is written both ways; only the output's length tells.
    """
    given = dict(plan.sources)
    turned = {"query": "context", "context": "query"}
    if set(given.values()) != {"query", "context"}:
        return None
    sources = tuple((n, turned[s] if isinstance(s, str) else s) for n, s in plan.sources)
    return replace(plan, sources=sources)


def _starred(signature: list[dict[str, Any]]) -> bool:
    return any(p["kind"] == "VAR_KEYWORD" for p in signature)


def _required(named: list[dict[str, Any]], name: str) -> bool:
    return any(p["name"] == name and not p["has_default"] for p in named)


def _self(named: list[dict[str, Any]], contract: Contract) -> ForwardPlan:
    sources: list[tuple[str, str | tuple[Any]]] = []
    roles = {p["name"]: forward_role(p["name"]) for p in named}
    mask = _mask_argument(named, roles, contract)
    unknown = [p for p in named if roles[p["name"]] is None and not p["has_default"]]
    has_input = any(
        role in {"x", "query", "key", "value", "context"} and not p["has_default"]
        for p, role in zip(named, roles.values(), strict=True)
    )
    for parameter in named:
        name, role = parameter["name"], roles[parameter["name"]]
        if name == mask:
            continue
        if role in {"x", "query", "key", "value", "context"} and not parameter["has_default"]:
            sources.append((name, "x"))
        elif role == "causal":
            sources.append((name, (contract.causal,)))
        elif parameter["has_default"]:
            continue
        elif parameter in unknown and _is_input(parameter, unknown, has_input=has_input):
            sources.append((name, "x"))
        elif parameter in unknown and mask is None and contract.masks:
            mask = name
        else:
            sources.append((name, (None,)))
    return _plan(named, sources, mask)


def _is_input(parameter: dict[str, Any], unknown: list[dict[str, Any]], *, has_input: bool) -> bool:
    place = unknown.index(parameter)
    if has_input:
        return False
    return place == 0 or (len(unknown) >= 3 and place < 3)


def _cross(named: list[dict[str, Any]], contract: Contract) -> ForwardPlan:
    roles = {p["name"]: forward_role(p["name"]) for p in named}
    have = set(roles.values())
    slots: dict[str, str] = {}
    for name, role in roles.items():
        if role in {"query", "key", "value", "context"}:
            slots[name] = role
        elif role == "x":
            slots[name] = "query" if "query" not in have else "context"
    if "key" in slots.values() and "value" not in slots.values():
        slots = {n: ("context" if r == "key" else r) for n, r in slots.items()}
    nameless = [p for p in named if roles[p["name"]] is None]
    unknown = [p["name"] for p in nameless if not p["has_default"]]
    missing = [role for role in ("query", "key", "value") if role not in slots.values()]
    if "context" in slots.values():
        missing = [role for role in missing if role == "query"]
    if len(unknown) < len(missing):
        # What defaults to None may be the second sequence: `forward(x, xa=None)`.
        optional = [p["name"] for p in nameless if p["has_default"] and p["default"] is None]
        unknown += optional[: max(1, len(missing) - len(unknown))]
    left = [p for p in named if p["name"] not in unknown]
    mask = _mask_argument(left, {p["name"]: roles[p["name"]] for p in left}, contract)
    order = missing
    if len(unknown) < len(missing) and missing != ["key"]:
        order = ["query", "context"][-len(unknown) :] if unknown else []
    slots.update(zip(unknown, order, strict=False))
    sources: list[tuple[str, str | tuple[Any]]] = []
    for parameter in named:
        name = parameter["name"]
        if name == mask:
            continue
        if name in slots:
            sources.append((name, slots[name]))
        elif roles[name] == "causal":
            sources.append((name, (False,)))
        elif not parameter["has_default"]:
            if mask is None and name in unknown:
                mask = name
            else:
                sources.append((name, (None,)))
    return _plan(named, sources, mask)


def _mask_argument(
    named: list[dict[str, Any]], roles: dict[str, str | None], contract: Contract
) -> str | None:
    if not contract.masks:
        return None
    masks = [p["name"] for p in named if roles[p["name"]] == "mask"]
    plain = [n for n in masks if n.lower() in {"mask", "attention_mask", "attn_mask"}]
    padding = [p["name"] for p in named if roles[p["name"]] == "padding"]
    # An optional argument of another name ("masque", "keep") can only be the mask.
    other = [
        p["name"]
        for p in named
        if roles[p["name"]] is None and p["has_default"] and p["default"] is None
    ]
    return next(iter([*plain, *masks, *padding, *other]), None)


def _plan(
    named: list[dict[str, Any]],
    sources: list[tuple[str, str | tuple[Any]]],
    mask: str | None,
) -> ForwardPlan:
    order = [p["name"] for p in named]
    # Arguments are given by name, save those that Python takes by place alone.
    positional = tuple(p["name"] for p in named if p["kind"] == "POSITIONAL_ONLY")
    return ForwardPlan(
        sources=tuple(sorted(sources, key=lambda pair: order.index(pair[0]))),
        mask=mask,
        positional=positional,
    )
