"""What a kata asks of functions and classes: arguments, results, operators, memory, as data.

`docs/new-kata.md` says what each key of a `kata.toml` means. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from .arithmetic import NotASum, names
from .modules import BadContract, Module, only, read_module
from .sizes import Sizes, read_sizes

__all__ = [
    "AUTOGRAD", "KINDS", "Argument", "Asked", "BadContract", "Function", "Memory", "Result",
    "Rules", "choices", "read_asked",
]  # fmt: skip

Shape = tuple[str, ...]

# What an argument can be. The first line are tensors.
TENSORS = ("normal", "probabilities", "mask", "integers", "tokens", "booleans", "positions",
           "model")  # fmt: skip
KINDS = (*TENSORS, "choice", "size", "state")
MASK_KINDS = ("random", "padding", "causal", "single", "empty", "full")
CHECKS = ("values", "mask", "lengths", "causality", "stability")
# A rule's word for gradients that torch takes by itself, however it is asked to.
AUTOGRAD = "autograd"
GROWTH = ("multiplied", "shifted", "kept")
MODELS = ("plain", "sharp", "cached")
FLOATS = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a function, or of a class's forward.

    kind: normal (standard normal values; where positions are counted, 0 before the place `late`),
    probabilities (rows that add up to 1), mask, integers (from `low` to `high`), tokens (above
    `low` to `high`, shorter rows filled with `low`), model (the judge's, with these weights, of the
    kind `model`), booleans, positions (counting up, in half precision from beyond `far` too, or,
    without dtypes, in values), choice (one of `values`), size (worth `value`) or state (what the
    call before gave back last, None at first; in bfloat16 so long as `far`, too). shapes: those it
    comes in by turns, in sizes. also: other names for it. optional: may be left out; `default`
    stands for it then. large: how normal values grow for stability, one of GROWTH. check: what
    counts where a choice is not its default. along: the size of a state that is cut, a piece a
    call. adapted: shapes of a mask that a submission may want instead. taken: that in which it
    takes each, () for the same. empties: of log-sum-exps their outputs: by turns some are -inf, and
    the outputs 0.
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
    far: int = 0
    late: int = 0
    masks: tuple[str, ...] = ()
    check: str = "values"
    gradient: bool = True
    large: str = "multiplied"
    along: str = ""
    adapted: tuple[Shape, ...] = ()
    taken: tuple[Shape, ...] = ()
    model: str = "plain"
    empties: str = ""

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
    """One tensor that comes back.

    holds: floats, integers or booleans. dtype_of: the argument whose dtype it must have.
    """

    name: str
    shape: Shape
    holds: str = "floats"
    dtype_of: str = ""


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
    largest: how many entries a tensor made on the way may hold at most. apart: sizes that no
    tensor made on the way may have together. carried: by how many entries what is handed on to
    the next call may grow with each position. rows: how many rows a layer may be given in a call
    that goes on with another.
    """

    view_of: str = ""
    copy_of: str = ""
    contiguous: bool | None = None
    strides: Shape = ()
    largest: str = ""
    apart: Shape = ()
    carried: str = ""
    rows: str = ""

    @property
    def sums(self) -> tuple[str, ...]:
        """All sums of sizes that it states."""
        alone = (self.largest, self.carried, self.rows)
        return (*self.strides, *self.apart, *(text for text in alone if text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function that is asked for.

    left_out: the model answer's step whose rows, where they hold nothing but hidden scores, have no
    agreed answer. where: what holds of sizes and choices in every case. twice: arguments that a
    submission has not, and another that it is given in their place. large: what normal inputs are
    multiplied or shifted by for stability, if not 0. causal_along: the size along which what comes
    later changes nothing before. counted: sizes beyond bfloat16's whole numbers.
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
    twice: dict[str, str] = field(default_factory=dict)
    module: Module | None = None
    causal_along: str = ""
    counted: dict[str, int] = field(default_factory=dict)

    @property
    def mask(self) -> Argument | None:
        """The argument that takes a mask."""
        return next((one for one in self.arguments if one.kind == "mask"), None)

    @property
    def far(self) -> bool:
        """Whether far positions are tried, in half precision if there is any."""
        return any(one.far for one in self.arguments if one.kind != "normal")

    @property
    def needs_mask(self) -> bool:
        """Whether it cannot be called without a mask."""
        return self.mask is not None and not self.mask.optional

    @property
    def state(self) -> Argument | None:
        """The argument that takes what the call before gave back."""
        return next((one for one in self.arguments if one.kind == "state"), None)

    @property
    def models(self) -> dict[str, str]:
        """The arguments that take a model, and of which kind it is."""
        return {one.name: one.model for one in self.arguments if one.kind == "model"}

    @property
    def numbers(self) -> set[str]:
        """The symbols that a constructor alone speaks of: no tensor's axis is as long."""
        if self.module is None:
            return set()
        axes = [
            *self.module.shapes,
            *(axis for one in self.arguments for shape in one.shapes for axis in shape),
            *(axis for one in self.results for axis in one.shape),
        ]
        spoken = set().union(*(names(setting.value) for setting in self.module.settings))
        return spoken.difference(*(names(axis) for axis in axes))

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
class Asked:
    """All that a kata of functions asks for."""

    functions: tuple[Function, ...]
    sizes: Sizes

    def function(self, name: str) -> Function:
        """Return the function of this name."""
        return next(one for one in self.functions if one.name == name)


def read_asked(data: Mapping[str, Any]) -> Asked:
    """Read the contract of a kata of functions. Raise BadContract where it is none."""
    sizes = read_sizes(data.get("sizes", {}), data.get("axes", {}), data.get("large", ()))
    rows = [*data.get("class", []), *data.get("function", [])]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise BadContract("no [[function]] and no [[class]] is asked for")
    asked = Asked(functions=tuple(_function(row) for row in rows), sizes=sizes)
    for function in asked.functions:
        _known(function, sizes)
    return asked


_FUNCTION_KEYS = {
    "name", "also", "argument", "result", "rules", "memory", "gradients", "dtypes", "large",
    "left_out", "where", "setting", "layer", "dropout", "causal_along", "counted",
}  # fmt: skip
_MEMORY_KEYS = {
    "view_of", "copy_of", "contiguous", "strides", "largest", "apart", "carried", "rows",
}  # fmt: skip
_ARGUMENT_KEYS = {
    "name", "is", "shape", "shapes", "also", "default", "values", "value", "low", "high", "masks",
    "check", "gradient", "optional", "far", "late", "large", "along", "adapted", "model", "empties",
}  # fmt: skip


def _function(row: Mapping[str, Any]) -> Function:
    name = row.get("name", "")
    where = f"function {name}"
    only(where, row, _FUNCTION_KEYS)
    if not str(name).isidentifier():
        raise BadContract(f"{where}: name is {name!r}, which is no name of Python's")
    rules, memory = row.get("rules", {}), row.get("memory", {})
    kept: dict[str, Any] = {**memory}
    kept |= {key: tuple(map(str, told)) for key, told in memory.items() if isinstance(told, list)}
    only(f"{where}, rules", rules, {"never", "must", "loops"})
    only(f"{where}, memory", memory, _MEMORY_KEYS)
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
        memory=Memory(**kept),
        gradients=row.get("gradients", True),
        dtypes=tuple(row.get("dtypes", FLOATS)),
        large=float(row.get("large", 0)),
        causal_along=row.get("causal_along", ""),
        counted=dict(row.get("counted", {})),
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
    if "far" in row and kind not in {"positions", "state", "normal"}:
        raise BadContract(f"{where}: `far` is of positions, of a state or of normal values")
    if row.get("model", MODELS[0]) not in MODELS or ("model" in row and kind != "model"):
        raise BadContract(f"{where}: `model` is of models, one of {', '.join(MODELS)}")
    if (kind == "state") != ("along" in row):
        raise BadContract(f"{where}: a state needs `along`, the size that is cut, and only a state")
    masks = tuple(row.get("masks", ("random", "padding") if kind == "mask" else ()))
    if not set(masks) <= set(MASK_KINDS):
        raise BadContract(f"{where}: masks are of the kinds {', '.join(MASK_KINDS)}")
    if row.get("check", "values") not in CHECKS:
        raise BadContract(f"{where}: `check` must be one of {', '.join(CHECKS)}")
    if row.get("large", GROWTH[0]) not in GROWTH:
        raise BadContract(f"{where}: `large` must be one of {', '.join(GROWTH)}")
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
        far=int(row.get("far", 0)),
        late=int(row.get("late", 0)),
        masks=masks,
        check=row.get("check", "values"),
        gradient=row.get("gradient", kind == "normal"),
        large=row.get("large", GROWTH[0]),
        along=row.get("along", ""),
        adapted=tuple(tuple(str(axis) for axis in shape) for shape in row.get("adapted", ())),
        model=row.get("model", MODELS[0]),
        empties=row.get("empties", ""),
    )


def _result(where: str, row: Mapping[str, Any]) -> Result:
    only(f"{where}, result", row, {"name", "shape", "holds", "dtype_of"})
    holds = row.get("holds", "floats")
    if holds not in {"floats", "integers", "booleans"}:
        raise BadContract(f"{where}: a result holds floats, integers or booleans, not {holds!r}")
    shape = tuple(str(axis) for axis in row.get("shape", ()))
    kept = row.get("dtype_of", "")
    return Result(name=row.get("name", "output"), shape=shape, holds=holds, dtype_of=kept)


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
        *function.memory.sums, *function.where, *function.counted,
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
    floats = {one.name for one in function.arguments if one.floats}
    for one in function.results:
        if one.dtype_of and one.dtype_of not in floats:
            raise BadContract(f"{where}: `{one.dtype_of}` has no dtype for `{one.name}` to have")
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
