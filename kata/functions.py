"""What a kata asks of functions and classes: arguments, results, operators, memory, as data.

`docs/new-kata.md` says what each key of a `kata.toml` means; here it is read and held to
its form. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from .arithmetic import NotASum, names, worth
from .modules import BadContract, Module, only, read_module

__all__ = [
    "KINDS",
    "Argument",
    "Asked",
    "BadContract",
    "Function",
    "Memory",
    "Result",
    "Rules",
    "Sizes",
    "choices",
    "read_asked",
]

Shape = tuple[str, ...]

# What an argument can be. The first line are tensors.
TENSORS = ("normal", "probabilities", "mask", "integers", "positions")
KINDS = (*TENSORS, "choice", "size", "state")
MASK_KINDS = ("random", "padding", "causal", "single", "empty", "full")
CHECKS = ("values", "mask", "lengths", "causality", "stability")
FLOATS = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a function, or of a class's forward.

    kind: normal (standard normal values), probabilities (rows that add up to 1), mask,
    integers (from `low` to `high`), positions (counting up from a start), choice (one of
    `values`), size (worth `value`) or state (what the call before gave back behind its
    results, None at first). shapes: those it comes in by turns, in sizes.
    also: other names for it. optional: may be left out; `default` stands for it then.
    check: the check that counts where a choice is not its default. along: of a state, the size
    that is cut into pieces, one a call.
    """

    name: str
    kind: str
    shapes: tuple[Shape, ...] = ()
    also: tuple[str, ...] = ()
    optional: bool = False
    default: Any = None
    values: tuple[Any, ...] = ()
    value: str = ""
    low: str = "0"
    high: str = "1"
    masks: tuple[str, ...] = ()
    check: str = "values"
    gradient: bool = True
    along: str = ""

    @property
    def tensor(self) -> bool:
        """Whether a tensor is given."""
        return self.kind in TENSORS

    @property
    def floats(self) -> bool:
        """Whether its numbers have the dtype that is tried."""
        return self.kind in {"normal", "probabilities"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One tensor that comes back. holds: floats, integers or booleans."""

    name: str
    shape: Shape
    holds: str = "floats"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Which torch calls must and must not be seen at run time.

    never: operators, or groups of them. must: of each row one. loops: whether Python may loop.
    """

    never: tuple[str, ...] = ()
    must: tuple[tuple[str, ...], ...] = ()
    loops: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is asked of memory.

    view_of, copy_of: the argument whose memory the result must or must not share.
    contiguous: whether the result's memory must be in order. strides: the result's, in sizes.
    largest: how many entries a tensor made on the way may hold at most.
    """

    view_of: str = ""
    copy_of: str = ""
    contiguous: bool | None = None
    strides: Shape = ()
    largest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function that is asked for.

    left_out: the model answer's step whose rows, where they hold nothing but hidden scores,
    have no agreed answer. where: what holds of sizes and choices in every case.
    large: what normal inputs are multiplied by where stability is tried; 0: it is not.
    """

    name: str
    also: tuple[str, ...]
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    rules: Rules
    memory: Memory
    gradients: bool = True
    dtypes: tuple[str, ...] = FLOATS
    large: float = 0.0
    left_out: str = ""
    where: tuple[str, ...] = ()
    module: Module | None = None

    @property
    def mask(self) -> Argument | None:
        """The argument that takes a mask."""
        return next((one for one in self.arguments if one.kind == "mask"), None)

    @property
    def state(self) -> Argument | None:
        """The argument that takes what the call before gave back."""
        return next((one for one in self.arguments if one.kind == "state"), None)

    @property
    def signature(self) -> str:
        """The function as its `def` names it; a class as it is made."""
        if self.module is not None:
            return self.module.signature(self.name)
        return self.call("")

    def call(self, name: str) -> str:
        """The arguments as a `def` names them, behind `name`, or behind the function's own."""
        told = [
            f"{one.name}={one.default!r}" if one.optional else one.name for one in self.arguments
        ]
        return f"{name or self.name}({', '.join(told)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The sizes that are tried. values: by symbol. worked: sums of others. axes: their names."""

    values: dict[str, tuple[int, ...]]
    worked: dict[str, str] = field(default_factory=dict)
    axes: dict[str, str] = field(default_factory=dict)

    def row(self, picks: Mapping[str, int]) -> dict[str, int]:
        """Return all sizes, given those that are not worked out."""
        sizes = dict(picks)
        for symbol, text in self.worked.items():
            sizes[symbol] = worth(text, sizes)
        return sizes

    def first(self) -> dict[str, int]:
        """The sizes of the first case, of which no two are equal."""
        return self.row({symbol: values[0] for symbol, values in self.values.items()})

    def rows(self) -> Iterator[dict[str, int]]:
        """Yield the first sizes, then every value of each symbol in turn, others moving along."""
        yield self.first()
        most = max((len(values) for values in self.values.values()), default=0)
        for turn in range(1, most):
            # Shifted against one another, so that equal places do not always meet.
            yield self.row({
                symbol: values[(turn + shift * (turn > 1)) % len(values)]
                for shift, (symbol, values) in enumerate(self.values.items())
            })  # fmt: skip
        for symbol, values in self.values.items():
            for value in values[1:]:
                picks = {other: many[0] for other, many in self.values.items()}
                yield self.row({**picks, symbol: value})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """All that a kata of functions asks for."""

    functions: tuple[Function, ...]
    sizes: Sizes

    def function(self, name: str) -> Function:
        """Return the function of this name."""
        return next(one for one in self.functions if one.name == name)


def read_asked(data: Mapping[str, Any]) -> Asked:
    """Read the contract of a kata of functions. Raise BadContract where it is none."""
    sizes = _sizes(data.get("sizes", {}), data.get("axes", {}))
    rows = data.get("function", []) or data.get("class", [])
    if not isinstance(rows, list) or not rows:
        raise BadContract("no [[function]] and no [[class]] is asked for")
    asked = Asked(functions=tuple(_function(row) for row in rows), sizes=sizes)
    for function in asked.functions:
        _known(function, sizes)
    return asked


def _sizes(values: Mapping[str, Any], axes: Mapping[str, str]) -> Sizes:
    plain = {name: tuple(v) for name, v in values.items() if isinstance(v, list)}
    worked = {name: v for name, v in values.items() if isinstance(v, str)}
    if not plain or not all(all(isinstance(n, int) and n > 0 for n in v) for v in plain.values()):
        raise BadContract("[sizes] gives each symbol a list of whole numbers, or a sum of others")
    sizes = Sizes(values=plain, worked=worked, axes=dict(axes))
    try:
        first = sizes.first()
    except NotASum as fault:
        raise BadContract(f"[sizes]: {fault}") from None
    if set(axes) != set(first):
        raise BadContract(f"[axes] names {sorted(axes)} and [sizes] has {sorted(first)}")
    return sizes


_FUNCTION_KEYS = {
    "name", "also", "argument", "result", "rules", "memory", "gradients", "dtypes", "large",
    "left_out", "where", "setting", "layer",
}  # fmt: skip
_ARGUMENT_KEYS = {
    "name", "is", "shape", "shapes", "also", "default", "values", "value", "low", "high", "masks",
    "check", "gradient", "optional", "along",
}  # fmt: skip


def _function(row: Mapping[str, Any]) -> Function:
    name = row.get("name", "")
    where = f"function {name}"
    only(where, row, _FUNCTION_KEYS)
    if not str(name).isidentifier():
        raise BadContract(f"{where}: name is {name!r}, which is no name of Python's")
    rules, memory = row.get("rules", {}), row.get("memory", {})
    only(f"{where}, rules", rules, {"never", "must", "loops"})
    only(f"{where}, memory", memory, {"view_of", "copy_of", "contiguous", "strides", "largest"})
    return Function(
        name=name,
        also=tuple(row.get("also", ())),
        arguments=tuple(_argument(where, one) for one in row.get("argument", ())),
        results=tuple(_result(where, one) for one in row.get("result", ())),
        rules=Rules(
            never=tuple(rules.get("never", ())),
            must=tuple(
                (one,) if isinstance(one, str) else tuple(one) for one in rules.get("must", ())
            ),
            loops=rules.get("loops", True),
        ),
        memory=Memory(
            view_of=memory.get("view_of", ""),
            copy_of=memory.get("copy_of", ""),
            contiguous=memory.get("contiguous"),
            strides=tuple(str(one) for one in memory.get("strides", ())),
            largest=str(memory.get("largest", "")),
        ),
        gradients=row.get("gradients", True),
        dtypes=tuple(row.get("dtypes", FLOATS)),
        large=float(row.get("large", 0)),
        left_out=row.get("left_out", ""),
        where=tuple(row.get("where", ())),
        module=read_module(where, row),
    )  # fmt: skip


def _argument(where: str, row: Mapping[str, Any]) -> Argument:
    name, kind = row.get("name", ""), row.get("is", "")
    where = f"{where}, argument {name}"
    only(where, row, _ARGUMENT_KEYS)
    if kind not in KINDS:
        raise BadContract(f"{where}: `is` is {kind!r}; it must be one of {', '.join(KINDS)}")
    many = row.get("shapes", [row["shape"]] if "shape" in row else [])
    if (kind in TENSORS) != bool(many):
        raise BadContract(f"{where}: a tensor needs `shape` or `shapes`, and nothing else has one")
    if kind == "choice" and not row.get("values"):
        raise BadContract(f"{where}: a choice needs `values`")
    if kind == "size" and "value" not in row:
        raise BadContract(f"{where}: a size needs its `value`, a sum of sizes")
    if (kind == "state") != ("along" in row):
        raise BadContract(f"{where}: a state needs `along`, the size that is cut, and only a state")
    masks = tuple(row.get("masks", ("random", "padding") if kind == "mask" else ()))
    if not set(masks) <= set(MASK_KINDS):
        raise BadContract(f"{where}: masks are of the kinds {', '.join(MASK_KINDS)}")
    if row.get("check", "values") not in CHECKS:
        raise BadContract(f"{where}: `check` must be one of {', '.join(CHECKS)}")
    default = row.get("default")
    return Argument(
        name=name,
        kind=kind,
        shapes=tuple(tuple(str(axis) for axis in shape) for shape in many),
        also=tuple(row.get("also", ())),
        optional="default" in row or row.get("optional", False),
        default=None if default == "None" else default,
        values=tuple(row.get("values", ())),
        value=str(row.get("value", "")),
        low=str(row.get("low", 0)),
        high=str(row.get("high", 1)),
        masks=masks,
        check=row.get("check", "values"),
        gradient=row.get("gradient", kind == "normal"),
        along=row.get("along", ""),
    )


def _result(where: str, row: Mapping[str, Any]) -> Result:
    only(f"{where}, result", row, {"name", "shape", "holds"})
    holds = row.get("holds", "floats")
    if holds not in {"floats", "integers", "booleans"}:
        raise BadContract(f"{where}: a result holds floats, integers or booleans, not {holds!r}")
    shape = tuple(str(axis) for axis in row.get("shape", ()))
    return Result(name=row.get("name", "output"), shape=shape, holds=holds)


def _known(function: Function, sizes: Sizes) -> None:
    """Hold every sum against the sizes and choices that there are."""
    where = f"function {function.name}"
    if not function.arguments or not function.results:
        raise BadContract(f"{where}: give it arguments and results")
    have = set(sizes.first())
    choices = {one.name for one in function.arguments if one.kind == "choice"}
    tensors = {one.name for one in function.arguments if one.tensor}
    texts = [
        *(axis for one in function.arguments for shape in one.shapes for axis in shape),
        *(text for one in function.arguments for text in (one.value, one.low, one.high) if text),
        *(axis for one in function.results for axis in one.shape),
        *function.memory.strides, *function.where,
        *([function.memory.largest] if function.memory.largest else []),
        *(function.module.texts if function.module is not None else []),
        *([function.state.along] if function.state is not None else []),
    ]  # fmt: skip
    for text in texts:
        try:
            unknown = names(text) - have - choices
        except NotASum as fault:
            raise BadContract(f"{where}: {fault}") from None
        if unknown:
            raise BadContract(f"{where}: `{text}` speaks of {', '.join(sorted(unknown))}, no size")
    for name in (function.memory.view_of, function.memory.copy_of):
        if name and name not in tensors:
            raise BadContract(f"{where}: memory speaks of `{name}`, which is no tensor of its")
    for one in function.arguments:
        if one.optional and one.kind == "choice" and one.default not in one.values:
            raise BadContract(f"{where}, argument {one.name}: its default is none of its values")
    for dtype in function.dtypes:
        if dtype not in FLOATS:
            raise BadContract(f"{where}: dtypes are of {', '.join(FLOATS)}")


def choices(function: Function) -> list[dict[str, Any]]:
    """Every combination of the values of a function's choices, the defaults first."""
    many = [one for one in function.arguments if one.kind == "choice"]
    found = [
        dict(zip([one.name for one in many], values, strict=True))
        for values in product(*(one.values for one in many))
    ]
    usual = {one.name: one.default for one in many if one.optional}
    return sorted(found, key=lambda row: sum(row[name] != usual[name] for name in usual))
