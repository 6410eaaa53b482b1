"""How an object of attention's class is made: its arguments matched with roles, then by order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from ...kata.catalogue import Contract
from ..process.answers import Field, Global, Parameter
from ..vocabulary import constructor_role
from .forwarding import STARRED

__all__ = ["Plan", "global_roles", "plans", "role_of", "switched_on"]

Plan = tuple[tuple[str, str], ...]

# What a number below 1 cannot be.
_SIZES = {"width", "heads", "kv_heads", "head_dim", "inner", "length", "layers", "batch"}
# What has to be told.
_NEEDED = {"width", "heads"}
# What the last of several settings may be where the kata's are all claimed by others.
_CLAIMED = ("width", "heads", "length", "head_dim")


def switched_on(plan: Plan, signature: list[Parameter]) -> tuple[str, ...]:
    """The switches of a causal mask that are off by default and are turned on."""
    given = {name for name, role in plan if role == "causal"}
    return tuple(p.name for p in signature if p.default is False and p.name in given)


def global_roles(sizes: Sequence[Global], wanted: set[str]) -> list[tuple[tuple[Global, str], ...]]:
    """Return readings of the numbers in a module's globals, the likeliest first.

    Each reading says of each number which role's worth it gets, "" for its own. wanted: the
    roles of sizes that can stand there.
    """
    meant = [(one, constructor_role(one.name) or "") for one in sizes]
    found = [
        (one, role) for one, role in meant
        if role in (wanted if isinstance(one.value, int) else {"dropout"} & wanted)
    ]  # fmt: skip
    # A number may have a size's name and be something else: how many layers are in a block.
    own = tuple((one, "") for one, _ in found)
    return list(dict.fromkeys((tuple(found), own)))


def plans(signature: Sequence[Field], contract: Contract) -> list[Plan]:
    """Return assignments of roles to constructor arguments, the likeliest first."""
    named = [p for p in signature if p.kind not in STARRED]
    roles = _roles(named, contract)
    fixed: list[tuple[str, str]] = []
    unknown: list[Field] = []
    inner: list[str] = []
    asked = {role for p, role in zip(named, roles, strict=True) if p.default is not None}
    for parameter, role in zip(named, roles, strict=True):
        if role is None:
            if not parameter.has_default:
                unknown.append(parameter)
        elif parameter.has_default and _leave(role, parameter.default, asked):
            continue
        elif role == "inner":
            inner.append(parameter.name)
        else:
            fixed.append((parameter.name, role))
    taken = {role for _, role in fixed}
    wanted = [role for role in _contract_roles(contract) if role not in taken]
    choices = _spread(unknown, wanted, contract)
    inner_choices = [["head_dim", "width"]] if inner and contract.heads == "many" else [["width"]]
    found: list[Plan] = []
    for choice, meaning in product(choices, inner_choices[0] if inner else ["width"]):
        found.append((*fixed, *choice, *((name, meaning) for name in inner)))
    widths = [name for name, role in fixed if role == "width"]
    if contract.heads == "many" and len(widths) > 1:
        # A second width can be one head's: (model_size, heads, key_size).
        for whole in (widths[:1], widths[1:]):
            found.append(
                tuple(
                    (name, "head_dim" if role == "width" and name not in whole else role)
                    for name, role in found[0]
                )
            )
    anonymous = [p for p in named if _anonymous_size(p)]
    if anonymous and len(unknown) < len(_NEEDED & {*wanted}):
        # Names in another language, with defaults: by order.
        spread = _spread([*unknown, *anonymous], wanted, contract)
        found = [(*fixed, *spread[0]), *found, *((*fixed, *choice) for choice in spread[1:])]
    starred = [p for p in signature if p.kind == "VAR_KEYWORD"]
    if starred and not named:
        names = [argument.split("=")[0] for argument in contract.constructor]
        found.append(tuple((n, constructor_role(n) or "width") for n in names))
        # What it reads by other names than the kata's.
        found.append(((starred[0].name, "spread"),))
    elif starred:
        # What it has no argument for goes on to somebody else.
        names = [argument for argument in contract.constructor if "=" not in argument]
        found += [(*plan, *further) for plan in found[:1] if (further := _further(plan, names))]
    return found


def _further(plan: Plan, names: Sequence[str]) -> Plan:
    """The kata's own arguments whose roles a plan has not."""
    taken = {role for _, role in plan} - {"config"}
    roles = ((name, constructor_role(name) or "width") for name in names)
    return tuple((name, role) for name, role in roles if role not in taken)


def role_of(parameter: Field) -> str | None:
    """What an argument asks for by its name, or because it holds several settings."""
    held = isinstance(parameter, Parameter) and parameter.fields
    return "config" if held else constructor_role(parameter.name)


def _roles(named: Sequence[Field], contract: Contract) -> list[str | None]:
    """What each argument asks for, by its name and by the kind of its default or annotation."""
    said = [role_of(parameter) for parameter in named]
    asked = set(_contract_roles(contract))
    rates = [p.name for p, role in zip(named, said, strict=True) if role == "dropout"]
    # `p` beside `drop` is no second rate where nothing else could be the width.
    sized = not {"width", "config", "head_dim"}.isdisjoint(said)
    first = rates[0] if len(rates) > 1 and not sized else None
    roles: list[str | None] = []
    for parameter, role in zip(named, said, strict=True):
        default = parameter.default if parameter.has_default else None
        annotated = "" if parameter.has_default else parameter.annotation
        rate = (isinstance(default, float) and 0 <= default < 1) or annotated == "float"
        whole = (type(default) is int and default > 0) or annotated == "int"
        found = role
        if rate and role in _SIZES | {None}:
            # A number below 1 is no size; a rate, unless another argument is one by its name.
            found = None if "dropout" in said and default is not None else "dropout"
        elif (role == "dropout" and (whole or parameter.name == first)) or (
            role == "length" and default is not None and "length" not in asked
        ):
            found = None
        elif role is None and annotated == "bool":
            found = "flag"
        roles.append(found)
    return roles


def _anonymous_size(parameter: Field) -> bool:
    """An argument whose name says nothing and whose default could be a size."""
    default = parameter.default
    size = isinstance(default, int) and not isinstance(default, bool) and default > 0
    return role_of(parameter) is None and size


def _contract_roles(contract: Contract) -> list[str]:
    roles = [constructor_role(name.split("=")[0]) for name in contract.constructor]
    return [role for role in roles if role is not None]


def _spread(
    unknown: Sequence[Field], wanted: list[str], contract: Contract
) -> list[list[tuple[str, str]]]:
    """Give unknown arguments the wanted roles by order, then in other orders and other roles."""
    if not unknown:
        return [[]]
    names = [parameter.name for parameter in unknown]
    whole = [parameter.annotation == "int" for parameter in unknown]
    filled = (wanted + ["width"] * len(unknown))[: len(unknown)]
    orders = [filled]
    if len(filled) > 1:
        orders.append([filled[1], filled[0], *filled[2:]])
    if contract.heads == "many" and filled[:2] == ["width", "heads"]:
        orders += [["head_dim", "heads", *filled[2:]], ["heads", "head_dim", *filled[2:]]]
    orders += ([*filled[:-1], role] for role in _CLAIMED)
    fitting = [
        order
        for order in orders
        if not any(number and role == "dropout" for number, role in zip(whole, order, strict=True))
    ]
    distinct = dict.fromkeys(map(tuple, fitting or orders))
    return [list(zip(names, order, strict=True)) for order in distinct]


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
