"""Read what a kata asks for out of its `kata.toml`, and hold it to its form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .arithmetic import NotASum, names
from .functions import (
    CHECKS,
    FLOATS,
    GROWTH,
    KINDS,
    MASK_KINDS,
    MODELS,
    TENSORS,
    WORK,
    Argument,
    Asked,
    Function,
    Memory,
    Result,
    Rules,
)
from .modules import BadContract, only, read_module
from .sizes import Sizes, read_sizes

__all__ = ["BadContract", "read_asked"]


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
    "below", "loose", "left_out", "where", "setting", "layer", "dropout", "causal_along", "counted",
    "work", "laid", "angles",
}  # fmt: skip
_MEMORY_KEYS = {
    "view_of", "copy_of", "contiguous", "strides", "largest", "apart", "carried", "rows",
}  # fmt: skip
_ARGUMENT_KEYS = {
    "name", "is", "shape", "shapes", "also", "default", "values", "value", "low", "high", "masks",
    "check", "gradient", "optional", "far", "late", "large", "along", "once", "adapted", "model",
    "empties", "above", "meets", "filler", "beyond", "fills", "hides", "added", "ties", "zeros",
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
        below=tuple(row.get("below", ())),
        loose=float(row.get("loose", 0)),
        work=(row["work"],) if "work" in row else WORK,
        laid=row.get("laid", False),
        angles=row.get("angles", False),
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
    if "once" in row and kind != "state":
        raise BadContract(f"{where}: `once` is of a state")
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
        once=row.get("once", ""),
        adapted=tuple(tuple(str(axis) for axis in shape) for shape in row.get("adapted", ())),
        model=row.get("model", MODELS[0]),
        empties=row.get("empties", ""),
        above=tuple(row.get("above", ())),
        meets=row.get("meets", ""),
        beyond=str(row.get("beyond", "")),
        filler=str(row.get("filler", "")),
        fills=str(row.get("fills", "")),
        hides=row.get("hides", False),
        added=row.get("added", False),
        ties=row.get("ties", True),
        zeros=row.get("zeros", row.get("large") != "kept"),
    )


def _result(where: str, row: Mapping[str, Any]) -> Result:
    only(f"{where}, result", row, {"name", "shape", "holds", "dtype_of", "any_dtype"})
    holds = row.get("holds", "floats")
    if holds not in {"floats", "integers", "booleans"}:
        raise BadContract(f"{where}: a result holds floats, integers or booleans, not {holds!r}")
    shape = tuple(str(axis) for axis in row.get("shape", ()))
    kept = row.get("dtype_of", "")
    return Result(
        name=row.get("name", "output"), shape=shape, holds=holds, dtype_of=kept,
        any_dtype=row.get("any_dtype", False),
    )  # fmt: skip


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
        *(text for one in function.arguments
          for text in (one.value, one.low, one.high, one.filler, one.beyond, one.fills) if text),
        *(axis for one in function.results for axis in one.shape),
        *function.memory.sums, *function.where, *function.counted,
        *(function.module.texts if function.module is not None else []),
        *((function.state.along, function.state.once or "0") if function.state is not None else ()),
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
