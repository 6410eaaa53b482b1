"""What a kata asks of functions and classes: arguments, results, operators, memory, as data.

`docs/new-kata.md` says what each key of a `kata.toml` means, and `reading` reads them. Standard
library only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

from .arithmetic import names
from .modules import Module
from .sizes import Sizes

__all__ = [
    "AUTOGRAD", "CHECKS", "FLOATS", "GROWTH", "KINDS", "MASK_KINDS", "MODELS", "TENSORS", "WORK",
    "Argument", "Asked", "Function", "Memory", "Result", "Rules", "choices",
]  # fmt: skip

Shape = tuple[str, ...]

# What an argument can be. The first line are tensors.
TENSORS = ("normal", "probabilities", "uniform", "mask", "integers", "tokens", "booleans",
           "positions", "model")  # fmt: skip
KINDS = (*TENSORS, "choice", "size", "state")
MASK_KINDS = ("random", "padding", "causal", "single", "empty", "full")
CHECKS = ("values", "mask", "lengths", "causality", "stability")
# A rule's word for gradients that torch takes by itself, however it is asked to.
AUTOGRAD = "autograd"
GROWTH = ("multiplied", "shifted", "later", "hidden", "kept")
MODELS = ("plain", "sharp", "cached")
FLOATS = ("float32", "bfloat16", "float16")
# Values are decided in the first of these that a submission takes.
WORK = ("float64", "float32")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a function, or of a class's forward.

    kind: normal (standard normal values), probabilities (rows that add up to 1), uniform (numbers
    from 0 to below 1), mask, integers (from `low` to `high`), tokens (above `low` to `high`,
    shorter rows filled with `low`), model (a module of the judge's with these weights, of the kind
    `model`), booleans, positions (counting up from a start, in half precision from beyond `far`
    too, or, where no dtypes are tried, in values), choice (one of `values`), size (worth `value`)
    or state (what the call before gave back behind its results, None at first; in bfloat16 so
    long as `far`, too).
    late: where positions are counted far, normal values are 0 but from this one on, counted from
    the end.
    shapes: those it comes in by turns, in sizes. also: other names for it. optional: may be left
    out; `default` stands for it then. large: how normal values grow where stability is tried, one
    of GROWTH; later: the second half is shifted twice; hidden: what the mask hides. check: the
    check that counts where a choice is not its default. along: of a state, the size that is
    cut into pieces, one a call; once: the size of what the first call alone reads, by turns another
    one later. adapted: shapes of a mask that a submission may want instead.
    taken: by shape that in which the submission takes it, () for the same. empties: of
    log-sum-exps the outputs that they belong to: by turns some are -inf, and the outputs 0.
    above: of log-sum-exps the query and the key whose scores they exceed where those are large.
    meets: of uniform numbers the probabilities whose running sum some of them are, by turns, to the
    last bit. filler: what shorter rows of tokens are filled with in place of `low`; it is no token.
    beyond: up to where half of whole numbers lie by turns, above `high`. fills: what they
    add up to by turns, the last of them 0. hides: booleans are a mask of the kinds in `masks`, True
    where it hides; added: by turns they are floats instead, to be added, with -inf there. ties:
    whether normal values may be equal to others of their row, as where a vector of zeros is tried.
    zeros: whether one is tried in them; where large inputs leave them as they are only if asked.
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
    once: str = ""
    adapted: tuple[Shape, ...] = ()
    taken: tuple[Shape, ...] = ()
    model: str = "plain"
    empties: str = ""
    above: tuple[str, ...] = ()
    meets: str = ""
    filler: str = ""
    beyond: str = ""
    fills: str = ""
    hides: bool = False
    added: bool = False
    ties: bool = True
    zeros: bool = True

    @property
    def tensor(self) -> bool:
        """Whether a tensor is given."""
        return self.kind in TENSORS

    @property
    def floats(self) -> bool:
        """Whether its numbers have the dtype that is tried."""
        return self.kind in {"normal", "probabilities", "uniform"} or self.added


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One tensor that comes back.

    holds: floats, integers or booleans. dtype_of: the argument whose dtype it must have. any_dtype:
    floats may come in another dtype than they were given in, in float32 and float64 too.
    """

    name: str
    shape: Shape
    holds: str = "floats"
    dtype_of: str = ""
    any_dtype: bool = False


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

    left_out: the model answer's step whose rows, where they hold nothing but hidden scores,
    have no agreed answer. where: what holds of sizes and choices in every case.
    twice: arguments that a submission has not, and another of which it is given in their place.
    large: what normal inputs are multiplied by, or shifted by, where stability is tried; 0:
    it is not. causal_along: the size along which what comes later changes nothing before.
    counted: sizes at which it counts further than bfloat16 has whole numbers. work: the dtypes of
    which the first that it takes decides values. laid: whether edited model answers get tensors
    that lie in memory as the submission's do, for mistakes with strides. below: the arguments
    that make scores: a row's fall far below 0 where the first is negative, the others positive.
    loose: how far off results may be where normal values are far, for what may be added there.
    angles: whether something is turned by angles that grow with the length.
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
    below: tuple[str, ...] = ()
    loose: float = 0.0
    work: tuple[str, ...] = WORK
    laid: bool = False
    angles: bool = False
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
    def spare(self) -> list[str]:
        """The booleans that may be left out."""
        return [one.name for one in self.arguments if one.kind == "booleans" and one.optional]

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


def choices(function: Function) -> list[dict[str, Any]]:
    """Every combination of the values of a function's choices, the defaults first."""
    many = [one for one in function.arguments if one.kind == "choice"]
    found = [
        dict(zip([one.name for one in many], values, strict=True))
        for values in product(*(one.values for one in many))
    ]
    usual = {one.name: one.default for one in many if one.optional}
    return sorted(found, key=lambda row: sum(row[name] != usual[name] for name in usual))
