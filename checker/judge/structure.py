"""What a contract asks of a class's layers: one fused projection, an output projection or none."""

from __future__ import annotations

from ...kata.catalogue import Contract
from ..diagnose.giveaways import cut_line
from ..report.message import say
from ..vocabulary import layer_role
from .page import Page
from .weighing import Weighing

__all__ = ["judge_structure", "roles_of"]

# What a report calls the layers of a contract's class.
_ROLES = {"query_proj": "q", "key_proj": "k", "value_proj": "v", "output_proj": "o"}


def roles_of(one: Weighing) -> dict[str, str]:
    """Return a submission's parameters by layer, of a contract's class its matrices by role."""
    roles = one.held.roles
    if one.kata.promised is None:
        return {layer: ", ".join(names) for layer, names in roles.items()}
    matrices = {name for name, shape in one.held.first.items() if len(shape) > 1}
    return {
        _ROLES[layer]: ", ".join([name for name in names if name in matrices] or names)
        for layer, names in roles.items() if names
    }  # fmt: skip


def judge_structure(page: Page, one: Weighing, contract: Contract | None) -> None:
    """Hold the layers of a class against its contract, where it has one and they are known."""
    if contract is None:
        return
    if not (one.held.aligned or one.held.explained):
        page.set("structure", "skip", say("waits", check="values"))
        return
    if contract.fused:
        _fused(page, one)
    idle = [name for name in one.held.unused if name.endswith("weight") and layer_role(name)]
    if contract.output == "required" and not one.held.holders(["output_proj"]):
        _missing(page, one)
    elif idle and not one.held.holders(["output_proj"]):
        _unused(page, one, idle[0])
    for name in one.held.added:
        page.remark("output-projection-extra", page.lines.assignment(name.split(".")[0]))
    page.set("structure", "pass", say("structure-pass"))


def _missing(page: Page, one: Weighing) -> None:
    """No output projection acts: there is none, or there is one that is not called."""
    text = say("output-projection-missing")
    page.fail(one, "structure", text)
    unused = [name for name in one.held.unused if name.endswith("weight")]
    if unused:
        line = page.lines.assignment(unused[0].split(".")[0])
        page.blame("projection-unused", line, "output-projection-missing")
    else:
        page.blame("output-projection-missing", page.lines.last_return(),
                   "output-projection-missing")  # fmt: skip


def _unused(page: Page, one: Weighing, name: str) -> None:
    """A layer that is called as one that attention has does nothing; or its gradient is cut."""
    cut = cut_line(page.lines.own)
    if cut is not None:
        page.blame("detached", cut, name=say("it"))
        return
    layer = name.rpartition(".")[0] or name
    page.fail(one, "structure", say("projection-unused"))
    page.blame("projection-unused", page.lines.assignment(layer.split(".")[-1]))


def _fused(page: Page, one: Weighing) -> None:
    """One parameter has to hold queries, keys and values."""
    owners = one.held.holders(layer.name for layer in one.module.own if layer.inside)
    if len(owners) > 1:
        page.fail(one, "structure", say("not-fused"))
        lines = (page.lines.assignment(name.split(".")[0]) for name in owners)
        page.blame("not-fused", min((n for n in lines if n is not None), default=None))
