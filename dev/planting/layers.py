"""Ways to get layers wrong: heads, projections, dropout, norms. Standard library only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .asking import called, constant, keyword, named, number, receiver
from .source import Operator, Source

__all__ = ["LAYERS"]

Texts = Iterator[str]

_MOVES = {"transpose", "permute", "swapaxes", "movedim", "mT", "T", "swapdims", "moveaxis"}
_CUTS = {"view", "reshape"}
_ROLES = (
    ("query", "key", "value"),
    ("queries", "keys", "values"),
    ("q", "k", "v"),
    ("Q", "K", "V"),
    ("xq", "xk", "xv"),
    ("wq", "wk", "wv"),
    ("w_q", "w_k", "w_v"),
    ("W_q", "W_k", "W_v"),
    ("q_proj", "k_proj", "v_proj"),
    ("query_proj", "key_proj", "value_proj"),
    ("to_q", "to_k", "to_v"),
    ("to_query", "to_key", "to_value"),
    ("query_layer", "key_layer", "value_layer"),
    ("query_states", "key_states", "value_states"),
    ("query_projection", "key_projection", "value_projection"),
    ("make_query", "make_key", "make_value"),
)
_OUTPUT = re.compile(r"out|proj|wo|^o$|dense|^W_O$|c_proj|to_out")
_DROPS = re.compile(r"drop")
_SKIPS = {"x", "residual", "skip", "shortcut", "src", "h"}
_NORM = re.compile(r"norm|^ln")
_ACTIVATIONS = ("gelu", "GELU")


def _not_moved(source: Source, node: ast.AST) -> Texts:
    """A transpose or a permutation left out."""
    moved = called(node) in _MOVES or named(node) == "mT"
    taken = receiver(node) if isinstance(node, ast.Call) else getattr(node, "value", None)
    if moved and taken is not None and source.said(taken) != "torch":
        yield source.said(taken)


def _not_contiguous(source: Source, node: ast.AST) -> Texts:
    taken = receiver(node)
    if called(node) == "contiguous" and taken is not None:
        yield source.said(taken)


def _wrong_axes(source: Source, node: ast.AST) -> Texts:
    """Other axes exchanged than those of heads and positions."""
    if called(node) not in _MOVES or not isinstance(node, ast.Call):
        return
    said = source.said(node)
    for old, others in (
        ("(1, 2)", ("(2, 3)", "(1, 3)")),
        ("(-3, -2)", ("(-2, -1)",)),
        (", 1, 2)", (", 2, 3)",)),
        ("(0, 2, 1, 3)", ("(0, 2, 3, 1)", "(0, 1, 3, 2)", "(0, 3, 1, 2)")),
        ("(0, 1, 3, 2)", ("(0, 3, 1, 2)",)),
        ("(2, 0, 1, 3)", ("(1, 2, 0, 3)",)),
        ("(1, 2, 0, 3)", ("(2, 0, 1, 3)",)),
        ("(-2, -1)", ("(1, 2)",)),
        ("(0, 1)", ("(0, 2)",)),
    ):
        if said.endswith(old):
            yield from (said[: -len(old)] + other for other in others)


def _cut(source: Source, node: ast.AST) -> tuple[str, list[str], str] | None:
    """A view into (batch, length, heads, head_dim) with heads moved: its owner, sizes, the move."""
    if called(node) not in _MOVES or not isinstance(node, ast.Call):
        return None
    inner = receiver(node)
    if called(inner) not in _CUTS if inner is not None else True:
        return None
    assert isinstance(inner, ast.Call)
    sizes = [source.said(each) for each in inner.args]
    if len(sizes) != 4 or not isinstance(inner.func, ast.Attribute):
        return None
    move = source.said(node)[len(source.said(inner)) :]
    return source.said(inner.func), sizes, move


def _viewed(source: Source, node: ast.AST) -> Texts:
    found = _cut(source, node)
    if found is not None:
        cut, (batch, length, heads, depth), _ = found
        yield f"{cut.replace('.view', '.reshape')}({batch}, {heads}, {length}, {depth})"


def _dealt(source: Source, node: ast.AST) -> Texts:
    found = _cut(source, node)
    if found is not None:
        cut, (batch, length, heads, depth), _ = found
        yield f"{cut}({batch}, {length}, {depth}, {heads}).permute(0, 3, 1, 2)"


def _other_role(source: Source, node: ast.AST) -> Texts:
    """Query, key or value taken for one another, where one is read."""
    if not isinstance(node, (ast.Name, ast.Attribute)) or isinstance(node.ctx, ast.Store):
        return
    name = named(node)
    for family in _ROLES:
        if name in family:
            for other in family:
                if other != name and other in source.names:
                    yield source.said(node)[: -len(name)] + other


def _left_out(source: Source, node: ast.AST) -> Texts:
    """A layer that is not called."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        own = source.said(node.func.value) == "self"
        if own and len(node.args) == 1 and not node.keywords:
            yield source.said(node.args[0])


def _added_input(source: Source, node: ast.AST) -> Texts:
    value = node.value if isinstance(node, ast.Return) else None
    inputs = [
        name for name in source.arguments(node) if name in _SKIPS | {"query", "hidden_states"}
    ]
    if value is not None and inputs and _OUTPUT.search(called(value)):
        yield f"return {source.said(value)} + {inputs[0]}"


def _no_skip(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if named(side) in _SKIPS and isinstance(other, ast.Call):
                yield source.said(other)


def _skip_from_norm(source: Source, node: ast.AST) -> Texts:
    """The normed input in the place of the input, where the residual is added."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and called(node.right):
        inner = node.right.args[0] if isinstance(node.right, ast.Call) and node.right.args else None
        if named(node.left) in _SKIPS and inner is not None:
            made = isinstance(inner, ast.Call) and _NORM.search(called(inner))
            if made or (isinstance(inner, ast.Name) and inner.id != named(node.left)):
                yield f"{source.said(inner)} + {source.said(node.right)}"


def _other_norm(source: Source, node: ast.AST) -> Texts:
    name = named(node)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _NORM.search(name):
        for one, other in (("1", "2"), ("2", "1"), ("attn", "ffn"), ("ffn", "attn")):
            twin = name.replace(one, other)
            if twin != name and twin in source.names:
                yield source.said(node)[: -len(name)] + twin


def _other_activation(source: Source, node: ast.AST) -> Texts:
    name = named(node)
    if name in _ACTIVATIONS and isinstance(source.parent(node), ast.Call):
        yield source.said(node)[:-4] + ("relu" if name == "gelu" else "ReLU")
    if called(node) in _ACTIVATIONS and isinstance(node, ast.Call):
        between = ", " if node.args else ""
        yield f'{source.said(node)[:-1]}{between}approximate="tanh")'


def _no_activation(source: Source, node: ast.AST) -> Texts:
    if called(node) == "gelu" and (taken := receiver(node)) is not None:
        yield source.said(taken)
    if called(node) == "GELU":
        yield source.said(node).replace("GELU", "Identity")


def _eps(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.Constant) and node.value in {1e-5, 1e-6}:
        yield "1e-3"
    if isinstance(node, ast.BinOp) and source.said(node.left).startswith("x - mean"):
        yield source.said(node.left)
    if source.said(node) == "nn.LayerNorm":
        yield "nn.RMSNorm"


def _in_eval(source: Source, node: ast.AST) -> Texts:
    if (
        called(node) == "dropout"
        and isinstance(node, ast.Call)
        and not isinstance(node.func, ast.Name)
    ):
        for given in (keyword(node, "training"), *node.args[2:3]):
            if given is not None and source.said(given) == "self.training":
                yield source.said(node).replace("self.training", "True")


def _dropped_scores(source: Source, node: ast.AST) -> Texts:
    """Dropout before softmax: the two calls the other way round."""
    inner = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if _DROPS.search(called(node)) and called(inner) == "softmax" if inner is not None else False:
        scores = receiver(inner)  # type: ignore[arg-type]
        if scores is not None:
            taken, outer, middle = (source.said(each) for each in (scores, node, inner))  # type: ignore[arg-type]
            yield middle.replace(taken, outer.replace(middle, taken), 1)


def _undropped(source: Source, node: ast.AST) -> Texts:
    if _DROPS.search(called(node)) and isinstance(node, ast.Call) and node.args:
        if called(node) != "Dropout":
            yield source.said(node.args[0])


def _other_rate(source: Source, node: ast.AST) -> Texts:
    if called(node) == "Dropout" and isinstance(node, ast.Call):
        rates = [*node.args[:1], *(each.value for each in node.keywords if each.arg == "p")]
        for rate in rates:
            if number(rate) is None:
                said = source.said(rate)
                yield source.said(node).replace(said, f"1 - {said}")
                yield source.said(node).replace(said, "0.5")


def _detached(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        value = node.value
        if called(value) == "softmax" or (_is_layer(value) and not _DROPS.search(called(value))):
            yield f"{source.said(node.targets[0])} = {source.said(value)}.detach()"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        if isinstance(node.left, ast.Name):
            yield f"{node.left.id}.detach() @ {source.said(node.right)}"


def _is_layer(node: ast.AST) -> bool:
    own = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return own and named(node.func.value) == "self"  # type: ignore[attr-defined]


def _one_sample(source: Source, node: ast.AST) -> Texts:
    """A view that knows its batch."""
    if called(node) in _CUTS and isinstance(node, ast.Call) and len(node.args) >= 3:
        first = source.said(node.args[0])
        if first in {"b", "B", "batch", "bsz", "bs", "nbatches", "n"}:
            yield source.said(node).replace(f"({first},", "(1,", 1)


def _repeated(source: Source, node: ast.AST) -> Texts:
    """Key and value heads repeated one after the other, or as a whole."""
    if called(node) == "repeat_interleave" and isinstance(node, ast.Call):
        taken, given = receiver(node), [*node.args]
        axis = keyword(node, "dim") or (given[-1] if len(given) > 1 else None)
        count = keyword(node, "repeats") or next((g for g in given if g is not taken), None)
        if taken is not None and count is not None and axis is not None and constant(axis, 1):
            yield f"{source.said(taken)}.repeat(1, {source.said(count)}, 1, 1)"
    said = source.said(node)
    if called(node) == "stack" and "] * " in said and said.endswith("dim=2)"):
        yield f"{said[:-2]}1)"
    if isinstance(node, ast.Subscript) and ", :, None, :, :" in said:
        yield said.replace(":, :, None", ":, None, :")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv) and "per_group" in said:
        yield f"{source.said(node.left)} % self.num_kv_heads"


def _operator(name: str, texts: object, *mistakes: str) -> Operator:
    return Operator(name, frozenset(mistakes), texts)  # type: ignore[arg-type]


LAYERS = (
    _operator(
        "not-moved", _not_moved, "heads-view-without-transpose", "heads-merge-without-transpose",
        "heads-not-moved", "weights-not-transposed", "grad-scores-not-transposed",
        "axes-wrong-order", "wrong-axes-exchanged", "reshape-not-transpose", "heads-not-split",
        "flattened-wrong-axes",
    ),
    _operator("not-contiguous", _not_contiguous, "view-needs-contiguous", "result-strides"),
    _operator(
        "wrong-axes", _wrong_axes, "heads-merge-wrong-axes", "axes-wrong-order",
        "wrong-axes-exchanged", "permutation-inverted", "heads-width-swapped",
    ),
    _operator("viewed", _viewed, "heads-view-without-transpose"),
    _operator("dealt", _dealt, "heads-interleaved"),
    _operator(
        "other-role", _other_role, "weights-on-keys", "values-from-keys", "projection-unused",
        "query-key-swapped", "cross-wrong-source", "value-not-projected", "gradients-swapped",
    ),
    _operator(
        "left-out", _left_out, "output-projection-missing", "value-not-projected",
        "key-not-projected", "query-not-projected", "norm-missing", "activation-missing",
        "dropout-missing", "projection-unused", "dropout-not-applied", "qk-norm-without-gain",
        "qk-norm-one-side", "swiglu-activation-missing",
    ),
    _operator("added-input", _added_input, "residual-added"),
    _operator("no-skip", _no_skip, "residual-missing"),
    _operator("skip-from-norm", _skip_from_norm, "residual-from-norm"),
    _operator("other-norm", _other_norm, "norm-shared", "norms-swapped"),
    _operator("other-activation", _other_activation, "activation-other", "gelu-approximate"),
    _operator("no-activation", _no_activation, "activation-missing"),
    _operator("norm-detail", _eps, "norm-eps", "qk-norm-eps", "rms-norm"),
    _operator("in-eval", _in_eval, "dropout-in-eval"),
    _operator("dropped-scores", _dropped_scores, "dropout-before-softmax"),
    _operator("undropped", _undropped, "dropout-missing"),
    _operator("other-rate", _other_rate, "dropout-rate-wrong"),
    _operator("detached", _detached, "detached"),
    _operator("one-sample", _one_sample, "batch-fixed", "batch-mixed"),
    _operator("repeated", _repeated, "kv-heads-tiled", "groups-tiled"),
)  # fmt: skip
