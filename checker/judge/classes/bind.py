"""How a class is made and called: arguments matched by name and synonym, then by order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from ....kata.catalogue import Contract
from ..forwarding import forward_plans
from ..making import global_roles, plans, switched_on
from .plan import Binding, ForwardPlan

__all__ = ["bindings"]


def bindings(
    entry: dict[str, Any], sizes: list[dict[str, Any]], contract: Contract, convention: str
) -> Iterator[Binding]:
    """Yield ways to make and call a class, the likeliest first.

    entry: a class as the candidate's process describes it. sizes: numbers in the
    module's globals that its functions read. convention: what a mask means.
    """
    given = tuple(global_roles(sizes))
    forwards = forward_plans(entry["forward"] or [], contract, convention)
    signature = entry["constructor"] or []
    positional = tuple(p["name"] for p in signature if p["kind"] == "POSITIONAL_ONLY")
    annotations = {p["name"]: p["annotation"] for p in signature}
    constructors = plans(signature, contract)
    plain = [plan for plan in forwards if plan.stand_in is None]
    needed = [plan for plan in forwards if plan.stand_in is not None]
    # Every way to make it, before any that needs a mask.
    for some in (plain, needed):
        for constructor, plan in product(constructors, some):
            yield Binding(
                class_name=entry["name"],
                constructor=constructor,
                forward=plan,
                global_roles=given,
                positional=positional,
                annotations=annotations,
                causal=contract.causal,
                switched=_switched(constructor, signature, plan, entry["forward"] or [])
                if contract.causal
                else (),
            )


def _switched(
    constructor: tuple[tuple[str, str], ...],
    signature: list[dict[str, Any]],
    plan: ForwardPlan,
    forward: list[dict[str, Any]],
) -> tuple[str, ...]:
    called = {name for name, source in plan.sources if source == (True,)}
    off = switched_on(constructor, signature)
    return (*off, *(p["name"] for p in forward if p["default"] is False and p["name"] in called))
