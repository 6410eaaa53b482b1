"""The same weights in other layers: fused, apart, in a dictionary or a list, or raw."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import libcst as cst

from .families import LAYERS, meaning
from .marks import marks
from .tree import Imports, Sites, code, each, expression, identifiers

__all__ = ["apart", "fused", "keyed", "listed", "raw"]

_ROLES: tuple[str, ...] = ("query", "key", "value")
_FUSED = ("qkv_proj", "to_qkv", "c_attn", "W_qkv")
_THREE = (("q_proj", "k_proj", "v_proj"), ("to_q", "to_k", "to_v"), ("W_q", "W_k", "W_v"))
_PIECES = (("q_all", "k_all", "v_all"), ("q_flat", "k_flat", "v_flat"))

Statement = cst.BaseStatement


def _made(module: cst.Module, imports: Imports) -> dict[str, tuple[cst.Assign, cst.Call]]:
    """Return the linear layers that `self` is given in plain statements, by name, each once."""
    found: dict[str, tuple[cst.Assign, cst.Call]] = {}
    for one in each(module, cst.Assign):
        target = re.fullmatch(r"self\.(\w+)", code(one.targets[0].target))
        linear = isinstance(one.value, cst.Call) and imports.whole(one.value.func) in {
            "torch.nn.Linear", "torch.nn.modules.Linear",
        }  # fmt: skip
        if target and linear and len(one.targets) == 1 and isinstance(one.value, cst.Call):
            if target[1] in found:
                return {}
            found[target[1]] = one, one.value
    return found


def _said(module: cst.Module, name: str) -> list[cst.Attribute]:
    """Return every place that says `self.name`."""
    return [one for one in each(module, cst.Attribute) if code(one) == f"self.{name}"]


def _uses(module: cst.Module, name: str) -> list[cst.Call] | None:
    """Return the calls of a layer on one thing; None where it is used in another way."""
    calls = [one for one in each(module, cst.Call) if code(one.func) == f"self.{name}"]
    plain = all(len(one.args) == 1 and not one.args[0].keyword for one in calls)
    return calls if plain and len(calls) + 1 == len(_said(module, name)) else None


def _followed(module: cst.Module, *names: str) -> bool:
    """Whether a followed line says one of a class's names: what it says may be the mistake."""
    lines = [line for line in each(module, cst.SimpleStatementLine) if marks(code(line))]
    return any(f"self.{name}" in code(line) for line in lines for name in names)


class _Lines(cst.CSTTransformer):
    """Changes simple statements: `change` gives what stands for one, or None for as it was."""

    def __init__(self, change: Callable[[cst.SimpleStatementLine], list[Statement] | None]) -> None:
        super().__init__()
        self._change = change

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        made = self._change(updated_node)
        return updated_node if made is None else cst.FlattenSentinel(made)


def _said_in(line: cst.SimpleStatementLine) -> str:
    """Return a statement's text without the comments and blank lines above it."""
    return code(line.with_changes(leading_lines=[]))


def _line(text: str) -> Statement:
    return cst.parse_statement(text)


def _roles(module: cst.Module, imports: Imports) -> dict[str, str] | None:
    """Return the three layers that make queries, keys and values, by role, where they are alike."""
    made = _made(module, imports)
    names = {role: [n for n in made if meaning(n, LAYERS) == role] for role in _ROLES}
    if any(len(some) != 1 for some in names.values()):
        return None
    roles = {role: some[0] for role, some in names.items()}
    alike = {code(made[name][1])[len(code(made[name][1].func)) :] for name in roles.values()}
    return None if len(alike) != 1 or _followed(module, *roles.values()) else roles


def fused(module: cst.Module, rng: Random) -> cst.Module:
    """Make queries, keys and values of one thing with one layer, and cut what comes of it."""
    imports = Imports(module)
    roles = _roles(module, imports)
    if roles is None:
        return module
    made = _made(module, imports)
    uses = {role: _uses(module, name) for role, name in roles.items()}
    calls = [some[0] for some in uses.values() if some is not None and len(some) == 1]
    given = {code(call.args[0]) for call in calls}
    if len(calls) != 3 or len(given) != 1 or not re.fullmatch(r"\w+", next(iter(given))):
        return module
    taken = identifiers(module)
    name = next((one for one in rng.sample(_FUSED, len(_FUSED)) if one not in taken), None)
    pieces = next((some for some in _PIECES if not taken & set(some)), None)
    layer = made[roles["query"]][1]
    width = layer.args[1].value if len(layer.args) > 1 and not layer.args[1].keyword else None
    if name is None or pieces is None or width is None:
        return module
    wide = layer.with_changes(
        args=[layer.args[0], layer.args[1].with_changes(value=expression(f"3 * ({code(width)})")),
              *layer.args[2:]]
    )  # fmt: skip
    by_call = dict(zip((f"self.{n}" for n in roles.values()), pieces, strict=True))
    cut = rng.choice((f"self.{name}({{}}).chunk(3, dim=-1)", f"self.{name}({{}}).chunk(3, -1)"))
    seen: list[str] = []

    def change(line: cst.SimpleStatementLine) -> list[Statement] | None:
        text = _said_in(line)
        if any(re.match(rf"self\.{one} = ", text) for one in roles.values()):
            first = "made" not in seen
            seen.append("made")
            return [_line(f"self.{name} = {code(wide)}")] if first else []
        inside = [call for call in each(line, cst.Call) if code(call.func) in by_call]
        if not inside:
            return None
        above: list[Statement] = []
        if "cut" not in seen:
            seen.append("cut")
            above = [_line(f"{', '.join(pieces)} = {cut.format(*given)}")]
        node: Any = line
        while inside:
            node = node.deep_replace(inside[0], cst.Name(by_call[code(inside[0].func)]))
            inside = [call for call in each(node, cst.Call) if code(call.func) in by_call]
        return [*above, node]

    changed = module.visit(_Lines(change))
    # Uses in different blocks are not in sight of the first of them.
    whole = seen.count("made") == len(roles)
    return changed if whole and _one_block(module, calls) else module


def _one_block(module: cst.Module, calls: list[cst.Call]) -> bool:
    """Whether all calls stand in simple statements of one block."""
    for block in each(module, cst.IndentedBlock):
        lines = [line for line in block.body if isinstance(line, cst.SimpleStatementLine)]
        inside = [call for line in lines for call in each(line, cst.Call)]
        if all(any(call is one for one in inside) for call in calls):
            return True
    return False


def apart(module: cst.Module, rng: Random) -> cst.Module:
    """Make three layers of one whose result is cut in three at once."""
    imports = Imports(module)
    made = _made(module, imports)
    names = [name for name in made if meaning(name, LAYERS) == "fused"]
    if len(names) != 1 or _followed(module, *names):
        return module
    name = names[0]
    layer = made[name][1]
    width = re.fullmatch(r"3 \* (.+)|(.+) \* 3", code(layer.args[1]) if layer.args[1:] else "")
    uses = _uses(module, name)
    taken = identifiers(module)
    three = next((some for some in rng.sample(_THREE, len(_THREE)) if not taken & set(some)), None)
    if width is None or not uses or len(uses) != 1 or three is None:
        return module
    single = expression(width[1] or width[2])
    narrow = layer.with_changes(
        args=[layer.args[0], layer.args[1].with_changes(value=single), *layer.args[2:]]
    )
    given = code(uses[0].args[0])
    cut = re.escape(f"self.{name}({given})") + r"\.chunk\(3, (?:dim=)?-1\)"
    seen: list[str] = []

    def change(line: cst.SimpleStatementLine) -> list[Statement] | None:
        text = _said_in(line)
        if re.match(rf"self\.{name} = ", text):
            return [_line(f"self.{one} = {code(narrow)}") for one in three]
        found = re.fullmatch(rf"(\w+), (\w+), (\w+) = {cut}(?:  #.*)?", text)
        if found is None:
            return None
        seen.append("cut")
        parts = zip(found.groups(), three, strict=True)
        return [_line(f"{piece} = self.{one}({given})") for piece, one in parts]

    changed = module.visit(_Lines(change))
    return changed if seen and re.fullmatch(r"\w+", given) else module


def keyed(module: cst.Module, rng: Random) -> cst.Module:
    """Keep the three layers in a dictionary of layers."""
    keys = rng.choice((_ROLES, ("q", "k", "v")))
    return _held(module, [f'"{key}"' for key in keys], "ModuleDict({{{items}}})", "{key}: {layer}")


def listed(module: cst.Module, rng: Random) -> cst.Module:
    """Keep the three layers in a list of layers."""
    return _held(module, ["0", "1", "2"], "ModuleList([{items}])", "{layer}")


def _held(module: cst.Module, keys: Sequence[str], whole: str, part: str) -> cst.Module:
    """Keep the three layers in another one, which is asked for each by its key."""
    imports = Imports(module)
    roles, layers = _roles(module, imports), imports.called("torch.nn")
    taken = identifiers(module)
    holder = next((one for one in ("projections", "layers", "proj") if one not in taken), None)
    if roles is None or layers is None or holder is None:
        return module
    made = _made(module, imports)
    if any(_uses(module, name) is None for name in roles.values()):
        return module
    named = dict(zip(roles.values(), keys, strict=True))
    items = ", ".join(
        part.format(key=key, layer=code(made[name][1])) for name, key in named.items()
    )
    seen: list[str] = []

    def line(node: cst.SimpleStatementLine) -> list[Statement] | None:
        if not any(re.match(rf"self\.{one} = ", _said_in(node)) for one in roles.values()):
            return None
        seen.append("made")
        if len(seen) < len(roles):
            return []
        return [_line(f"self.{holder} = {layers}.{whole.format(items=items)}")]

    def use(node: cst.BaseExpression) -> str | None:
        said = code(node) if isinstance(node, cst.Attribute) else ""
        key = named.get(said.removeprefix("self."))
        return f"self.{holder}[{key}]" if key else None

    changed = module.visit(_Lines(line))
    return changed.visit(Sites(use)) if len(seen) == len(roles) else module


def raw(module: cst.Module, rng: Random) -> cst.Module:
    """Hold the weights of layers without bias as parameters, and multiply by hand."""
    imports = Imports(module)
    torch, layers = imports.called("torch"), imports.called("torch.nn")
    if torch is None or layers is None:
        return module
    chosen: dict[str, str] = {}
    for name, (_, layer) in _made(module, imports).items():
        parts = [code(one) for one in layer.args]
        plain = len(parts) == 3 and re.sub(r"\s", "", parts[2]) == "bias=False"
        free = plain and not any("=" in part for part in parts[:2]) and not _followed(module, name)
        if free and _uses(module, name) is not None and meaning(name, LAYERS) in LAYERS:
            shape = f"{parts[1].rstrip(', ')}, {parts[0].rstrip(', ')}"
            chosen[name] = f"{layers}.Parameter({torch}.randn({shape}) * 0.02)"

    def line(node: cst.SimpleStatementLine) -> list[Statement] | None:
        found = re.match(r"self\.(\w+) = ", _said_in(node))
        if found is None or found[1] not in chosen:
            return None
        return [_line(f"self.{found[1]} = {chosen[found[1]]}")]

    def use(node: cst.BaseExpression) -> str | None:
        if isinstance(node, cst.Call) and code(node.func).removeprefix("self.") in chosen:
            given = node.args[0].value
            bracketed = (
                code(given) if isinstance(given, (cst.Name, cst.Call)) else f"({code(given)})"
            )
            return f"{bracketed} @ {code(node.func)}.T"
        return None

    return module.visit(_Lines(line)).visit(Sites(use)) if chosen else module
