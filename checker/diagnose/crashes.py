"""What an exception means and how to mend it: the causes that are known by their words."""

from __future__ import annotations

import ast
import math
import re
from math import prod

import torch

from ...kata.catalogue import Kata
from ..judge.source import Source
from ..judge.trials import Trial
from ..process.answers import Operation, Part, Raised
from ..report.message import Message, Said, say
from .fitting import lacking, misfit
from .indices import about_index
from .misused import misused
from .names import imported, meant, misspelt_method
from .selves import about_self
from .torch_words import CAUSES
from .unbound import about_unbound, changed_in_place

__all__ = [
    "because", "by_shapes", "by_words", "no_tensor", "overwritten", "placed", "raised", "reason_of",
]  # fmt: skip

# The exceptions that tensors that do not fit end in.
_OF_TENSORS = {"RuntimeError", "IndexError", "ValueError", "TypeError", "NotImplementedError"}
# Words of exceptions that no tensor's shape has to do with.
_OF_NONE = re.compile(
    r"(?:list|tuple) index out of range"
    r"|(?:list|tuple) indices must be|slice indices must be"
)

# What torch says to code that wants a GPU where there is none, or to be found.
_NO_SUCH_DEVICE = ("not compiled with CUDA", "Found no NVIDIA driver", "No CUDA GPUs are available",
                   "found at least two devices", "to be on the same device",
                   "no CUDA-capable device")  # fmt: skip
# What autograd says of a tensor that it has kept: its shape, and what made it.
_CHANGED = re.compile(
    r"modified by an inplace operation: \[\S+ \[([\d, ]*)\]\]"
    r"(?:, which is output \d+ of (\w+?)(?:Backward\d*)?,)?"
)


def because(fault: Raised, source: Source, *, cause: bool = True) -> Said:
    """What to add to an exception's words: the shapes of what raised, its cause and the cure.

    cause: leave it out where a named mistake says it already.
    """
    made = _made(fault)
    shapes: Said = ""
    if _about_tensors(fault, source):
        named = "" if made else _shapes_on(fault, source)
        shapes = say("crash-shapes", shapes=named) if named else ""
        shapes = _operands(made.parts) if made else shapes
    found = _cause(fault, source) if cause else None
    if not (shapes and found):
        return shapes or found or ""
    return say("crash-operands-cause" if made else "crash-shapes-cause", shapes=shapes, cause=found)


def _about_tensors(fault: Raised, source: Source) -> bool:
    """Whether the shapes on a line can have to do with what it raised."""
    counts = "positional argument|keyword argument|multiple values|not callable"
    counted = re.search(counts, fault.message)
    own = counted is not None and re.search("transpose|swap", fault.message) is None
    other = about_self(fault, source) or misused(fault, source)
    none = own or other is not None or _OF_NONE.search(fault.message) is not None
    if fault.type == "NotImplementedError":
        # torch says so of a dtype, and people of what they have not written.
        return not none and "not implemented for '" in fault.message
    return fault.type in _OF_TENSORS and not none


def no_tensor(name: str, kind: str) -> Message:
    """What to say where a function gave back something else than a tensor. kind: its type.

    A sparse or a nested tensor is such, whose entries do not lie in memory one by one.
    """
    key = {
        "NoneType": "returns-nothing", "ndarray": "returns-array", "sparse": "returns-sparse",
        "nested": "returns-nested",
    }.get(kind, "returns-other")  # fmt: skip
    return say(key, name=name, kind=kind)


def placed(line: int | None) -> dict[str, Said]:
    """A line as sentences name it, nothing where there is none: {at} and {on}."""
    return {word: say(word, line=line) if line else "" for word in ("at", "on")}


def raised(fault: Raised, case: Said) -> Message:
    """What was raised, where and in which case, in one line."""
    # Where torch itself raised, in the backward pass, no line of the file was running.
    key = "fail-raised" if fault.line is not None else "fail-raised-nowhere"
    told = {"kind": fault.type, "line": fault.line, "reason": reason_of(fault)}
    return say(key, case=case, **told)


def reason_of(fault: Raised) -> str:
    """An exception's own words, in one line."""
    text = fault.message.split("\n")[0].partition(". Hint: ")[0] or fault.type
    # What could have been given instead stands on the lines that are left out.
    return str(text.removesuffix(", but expected one of:"))


def _made(fault: Raised) -> Operation | None:
    """What the expression that raised was made of, as far as the candidate's process told it."""
    made = fault.made_of
    return made if made and made.parts else None


def _operands(parts: list[Part]) -> Message:
    """The tensors of an expression: "`q` is (2, 3, 4), `k.T` is (4, 3, 2)"."""
    several = len({one.dtype for one in parts}) > 1
    told = {one.text: f"{tuple(one.shape)}{' ' + one.dtype if several else ''}" for one in parts}
    each = [say("operand", text=text, shape=shape) for text, shape in told.items()]
    return say("listed", parts=each)


def overwritten(fault: Raised) -> tuple[int, str] | None:
    """How many entries the tensor has that autograd says was changed in place, and what made it."""
    found = _CHANGED.search(fault.message)
    if found is None:
        return None
    sizes, maker = found.groups(default="")
    return prod(int(size) for size in sizes.split(",") if size.strip()), maker.lower()


def _cause(fault: Raised, source: Source) -> Message | None:
    """What an exception comes of, in one sentence; None where that is not known."""
    reason = reason_of(fault)
    own = about_self(fault, source)
    if own is not None:
        return own
    for key, right in (
        ("crash-meant", meant(reason, source, fault.line)),
        ("crash-import", imported(reason)),
    ):
        if right is not None:
            return say(key, meant=right)
    other = misused(fault, source)
    if other is not None:
        return other
    for cause in (
        about_unbound(fault, source), changed_in_place(fault, source), about_index(fault, source),
        misfit(fault),
    ):  # fmt: skip
        if cause is not None:
            return cause
    line = source.line(fault.line)
    masked = "mask" in line
    for pattern, key in CAUSES:
        found = re.search(pattern, fault.message)
        if found is not None:
            if key == "crash-batches" and "@" in line:
                # Who broadcasts already need not be told to.
                key = "crash-product"  # noqa: PLW2901
            parts = {f"part{number}": part for number, part in enumerate(found.groups(), 1)}
            return _said(key, fault, source, parts, masked=masked)
    if "values to unpack" in reason and re.search(r"\.shape\b|\.size\(\)", line):
        return say("crash-unpack")
    numpy = re.search(r"\b(np|numpy)\.\w", line)
    return say("crash-numpy") if numpy is not None else None


def _said(
    key: str, fault: Raised, source: Source, parts: dict[str, str], *, masked: bool
) -> Message:  # fmt: skip
    """Say a cause in the words that fit what stands on the line."""
    made = _made(fault)
    if key == "crash-batches" and made and made.call in {"@", "@=", "matmul"}:
        # Who broadcasts already need not be told to.
        key = "crash-product"
    if key == "crash-batches" and made and made.call == "scaled_dot_product_attention":
        widths = {tuple(one.shape[-1:]) for one in made.parts[:2]}
        lengths = {tuple(one.shape[-2:-1]) for one in made.parts[1:3]}
        key = "crash-fused" if max(len(widths), len(lengths)) > 1 else key
    if key == "crash-invert" and made:
        return say("crash-invert-named", name=made.parts[0].text)
    if key == "crash-dtype" and made:
        whole = [one for one in made.parts if one.dtype == "bool" or "int" in one.dtype]
        floats = [one for one in made.parts if "float" in one.dtype]
        if len(whole) == len(floats) == 1:
            return say("crash-dtype-whole", name=whole[0].text, other=floats[0].text)
    if key == "crash-bitwise" and made:
        floats = [f"`{one.text}`" for one in made.parts if "float" in one.dtype]
        if floats:
            return say("crash-bitwise-named", names=list(dict.fromkeys(floats)), sign=made.call)
    if key == "crash-scalar" and made and hasattr(math, made.call) and hasattr(torch, made.call):
        return say("crash-scalar-math", call=made.call)
    if key == "crash-mask-dtype" and made and any("float" in p.dtype for p in made.parts[1:]):
        return say("crash-mask-floats")
    if key == "crash-cast" and made and made.parts[0].text.isidentifier():
        return say("crash-cast-named", name=made.parts[0].text)
    if key == "crash-scalar" and made and made.text.startswith("torch.tensor("):
        return say("crash-scalar-made")
    if key == "crash-truth" and made and made.text.startswith(("max(", "min(")):
        return say("crash-truth-most")
    if key == "crash-argument" and fault.line is None:
        # The call is the kata's own, and right: what it leaves out needs a default.
        left = re.findall(r"'(\w+)'", fault.message)
        return say("crash-default", names=", ".join(f"`{name}`" for name in left))
    if key == "crash-two-results":
        return say(key, call=parts["part1"])
    spelt = misspelt_method(source, parts["part1"]) if key == "crash-no-forward" else None
    if spelt is not None and spelt[2] == "forward":
        return say("forward-misspelt", line=spelt[0], name=spelt[1])
    if key == "crash-broadcast" and not masked:
        ranks = {len(one.shape) for one in made.parts} if made else set()
        key = "crash-lacks" if len(ranks) > 1 else "crash-align"
        place = lacking(made.parts) if made else None
        if place is not None:
            return say("crash-lacks-at", name=place[0], axis=place[1], **parts)
    if not masked and key in {"crash-truth", "crash-none"}:
        key = f"{key}-plain"
    return say(key, **parts)


def _shapes_on(fault: Raised, source: Source) -> str:
    """The tensors that the guilty statement names: "scores (2, 3, 5, 5) float64, mask (2, 5)"."""
    line = fault.line
    named = _named_on(source.tree, line) if line is not None else set()
    held = [one for one in fault.tensors if one.name in named]
    several = len({one.dtype for one in held}) > 1
    parts = []
    for one in held:
        axes = ", ".join(map(str, one.shape))
        shown = f"{one.name} ({axes}{',' if len(one.shape) == 1 else ''})"
        parts.append(f"{shown} {one.dtype}" if several else shown)
    return ", ".join(parts)


def _named_on(tree: ast.AST, line: int) -> set[str]:
    """The names and attributes of self that the innermost statement on a line reads."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    if not around:
        return set()
    statement = max(around, key=lambda node: node.lineno)
    return {
        ast.unparse(node)
        for node in ast.walk(statement)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
    }


def by_words(fault: Raised) -> str | None:
    """Name the mistake behind an exception, where its words alone tell it."""
    text = fault.message
    if "view size is not compatible" in text:
        return "view-needs-contiguous"
    if any(words in text for words in _NO_SUCH_DEVICE):
        return "device-hardcoded"
    return None


def by_shapes(fault: Raised, kata: Kata, trial: Trial, longest: int) -> str | None:
    """Name the mistake behind an exception of attention that speaks of sizes that nobody gave.

    longest: the length that objects are made for, where the kata says nothing of it.
    """
    if kata.promised is None:
        return None
    text, sizes = fault.message, trial.case.sizes
    view = re.search(r"shape '\[(-?\d+), (-?\d+)[^']*' is invalid for input of size", text)
    if view:
        if int(view[1]) not in (sizes["B"], -1):
            return "batch-fixed"
        if kata.promised.source == "cross":
            return "key-viewed-by-query-length"
        return "length-fixed" if int(view[2]) not in (sizes["T"], -1) else None
    block = {sizes.get("S"), longest}
    meets = re.search(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", text)
    if kata.promised.causal and meets and {int(meets[1]), int(meets[2])} & block:
        return "causal-not-sliced"
    return "dtype-hardcoded" if "scalar type" in text or "same dtype" in text else None
