"""What an exception means and how to mend it: the causes that are known by their words."""

from __future__ import annotations

import ast
import re
from math import prod

from ...kata.catalogue import Kata
from ..judge.source import Source
from ..judge.trials import Trial
from ..process.answers import Operation, Part, Raised
from ..report.message import Message, Said, say
from .misused import misused
from .names import imported, meant
from .selves import about_self

__all__ = [
    "because", "by_shapes", "by_words", "no_tensor", "overwritten", "placed", "raised", "reason_of",
]  # fmt: skip

# The exceptions that tensors that do not fit end in.
_OF_TENSORS = {"RuntimeError", "IndexError", "ValueError", "TypeError"}

# What torch says to code that wants a GPU where there is none, or to be found.
_NO_SUCH_DEVICE = ("not compiled with CUDA", "Found no NVIDIA driver", "No CUDA GPUs are available",
                   "found at least two devices", "to be on the same device",
                   "no CUDA-capable device")  # fmt: skip
# What autograd says of a tensor that it has kept: its shape, and what made it.
_CHANGED = re.compile(
    r"modified by an inplace operation: \[\S+ \[([\d, ]*)\]\]"
    r"(?:, which is output \d+ of (\w+?)(?:Backward\d*)?,)?"
)
# What torch says, and the sentence that explains it. The first match wins.
_CAUSES = (
    ("view size is not compatible", "crash-view"),
    (r"shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", "crash-linear"),
    ("same dtype|expected scalar type|expected m1 and m2", "crash-dtype"),
    ("cannot be converted to type .* without overflow", "crash-overflow"),
    (r"shape '\[([^\]]*)\]' is invalid for input of size (\d+)", "crash-reshape"),
    (r"tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", "crash-broadcast"),
    ("batch1|batch2|must be 3D", "crash-batches"),
    ("Dimension out of range", "crash-axis"),
    ("operator, (with|on) a bool", "crash-bool"),
    (r'"bitwise_not\w*" not implemented|ufunc_\w*bitwise_not', "crash-invert"),
    ("only supports boolean masks|mask dtype to be Bool", "crash-mask-dtype"),
    ("only supports a 0-dimensional value", "crash-fill-value"),
    ("Boolean value of Tensor with more than one value", "crash-truth"),
    ("leaf Variable that requires grad", "crash-leaf"),
    ("needed for gradient computation has been modified", "crash-in-place"),
    ("'Tensor' object is not callable", "crash-call"),
    (r"t\(\) expects a tensor with <= 2", "crash-t"),
    (r"transpose\(\) (?:takes|received an invalid)", "crash-transpose"),
    (r"'torch.return_types.(max|min)'", "crash-two-results"),
    ("Can't call numpy|numpy.ndarray|must be Tensor, not (?:numpy|ndarray)", "crash-numpy"),
    (r"^(sqrt|exp|log|pow|tanh)\(\): .* must be Tensor, not (?:int|float)", "crash-number"),
    ("einsum\\(\\)", "crash-einsum"),
    ("Sizes of tensors must match except|must have same number of dim", "crash-cat"),
    ("permute.*number of dimensions", "crash-permute"),
    ("argument 'tensors' .* must be tuple of Tensors, not Tensor", "crash-one-list"),
    ("only one dimension can be inferred", "crash-infer"),
    ("1D tensors expected", "crash-dot"),
    ("'torch.Size' object is not callable", "crash-brackets"),
    ("maximum recursion depth", "crash-recursion"),
    ("must be a matrix", "crash-matrix"),
    (r"missing \d+ required positional argument", "crash-argument"),
    (r"NoneType", "crash-none"),
    (r"before Module.__init__\(\) call", "crash-super"),
    ("active drivers", "crash-no-driver"),
    ("by lanes that its mask lets through", "crash-mask-wide"),
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
    own = counted is not None and "transpose" not in fault.message
    other = about_self(fault, source) or misused(fault, source)
    return fault.type in _OF_TENSORS and not own and other is None


def no_tensor(name: str, kind: str) -> Message:
    """What to say where a function gave back something else than a tensor. kind: its type."""
    key = {"NoneType": "returns-nothing", "ndarray": "returns-array"}.get(kind, "returns-other")
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
    about_shapes = _shapes_clash(fault)
    if about_shapes is not None:
        return about_shapes
    line = source.line(fault.line)
    masked = "mask" in line
    for pattern, key in _CAUSES:
        found = re.search(pattern, fault.message)
        if found is not None:
            if key == "crash-batches" and "@" in line:
                # Who broadcasts already need not be told to.
                key = "crash-product"  # noqa: PLW2901
            parts = {f"part{number}": part for number, part in enumerate(found.groups(), 1)}
            return _said(key, fault, parts, masked=masked)
    if "values to unpack" in reason and re.search(r"\.shape\b|\.size\(\)", line):
        return say("crash-unpack")
    numpy = re.search(r"\b(np|numpy)\.\w", line)
    return say("crash-numpy") if numpy is not None else None


def _said(key: str, fault: Raised, parts: dict[str, str], *, masked: bool) -> Message:
    """Say a cause in the words that fit what stands on the line."""
    made = _made(fault)
    if key == "crash-batches" and made and made.call in {"@", "@=", "matmul"}:
        # Who broadcasts already need not be told to.
        key = "crash-product"
    if key == "crash-invert" and made:
        return say("crash-invert-named", name=made.parts[0].text)
    if key == "crash-argument" and fault.line is None:
        # The call is the kata's own, and right: what it leaves out needs a default.
        left = re.findall(r"'(\w+)'", fault.message)
        return say("crash-default", names=", ".join(f"`{name}`" for name in left))
    if key == "crash-two-results":
        return say(key, call=parts["part1"])
    if key == "crash-broadcast" and not masked:
        ranks = {len(one.shape) for one in made.parts} if made else set()
        key = "crash-lacks" if len(ranks) > 1 else "crash-align"
    if not masked and key in {"crash-truth", "crash-none"}:
        key = f"{key}-plain"
    return say(key, **parts)


_PRODUCTS = {"@", "@=", "matmul", "bmm", "mm", "baddbmm"}
_SHAPES = (
    "must match the size", "cannot be multiplied", "Expected size for first two", "mismatch",
    "must match except", "doesn't match the broadcast", "is invalid for input of size",
)  # fmt: skip


def _shapes_clash(fault: Raised) -> Message | None:
    """What is wrong with the shapes of an expression's tensors, by what it does with them."""
    made = _made(fault)
    if not made or not any(words in fault.message for words in _SHAPES):
        return None
    parts = made.parts
    if any(one.text.endswith(".T") and len(one.shape) > 2 for one in parts):
        return say("crash-all-axes")
    if made.call.endswith("=") and len(parts) == 2:
        left, right = (one.shape for one in parts)
        joined = made.call != "@=" and _joined(left, right)
        if joined and joined != left:
            sign, target = made.call, parts[0].text
            wanted = f"{target} = {target} {sign[:-1]} …"
            key = "crash-target" if target.isidentifier() else "crash-target-plain"
            return say(key, sign=sign, wanted=wanted)
    if len(parts) < 2 or min(len(one.shape) for one in parts[:2]) < 2:
        return None
    layer = parts[1].text.endswith(".weight") and made.call not in _PRODUCTS
    layer = layer or made.call == "linear"
    if made.call in _PRODUCTS or layer:
        return _product(parts[0], parts[1], layer=layer)
    return None


def _product(left: Part, right: Part, *, layer: bool) -> Message | None:
    """Why two tensors have no product."""
    first, second = left.shape, right.shape
    if layer:
        wanted, given = second[-1], first[-1]
        return say("crash-layer", wanted=wanted, given=given) if wanted != given else None
    if first[-1] != second[-2]:
        values: dict[str, int] = {"first": first[-1], "second": second[-2]}
        plain = right.text.replace(".", "").isidentifier()
        if first[-1] == second[-1] and plain:
            turned = f"{right.text}.transpose(-2, -1)"
            return say("crash-inner-turn", turned=turned, **values)
        return say("crash-inner", **values)
    if _joined(first[:-2], second[:-2]) is None:
        return say("crash-leading", first=str(tuple(first[:-2])),
                   second=str(tuple(second[:-2])))  # fmt: skip
    return None


def _joined(left: list[int], right: list[int]) -> list[int] | None:
    """The shape that two shapes broadcast to; None where they do not."""
    size = max(len(left), len(right))
    padded = ([1] * (size - len(one)) + one for one in (left, right))
    pairs = list(zip(*padded, strict=True))
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        return None
    return [b if a == 1 else a for a, b in pairs]


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
