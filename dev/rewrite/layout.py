"""What Python does not compute with: comments, docstrings, type hints, blank lines."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import libcst as cst

from .marks import only_marks
from .tree import Imports, code, each

__all__ = ["blank_lines", "comments", "docstrings", "fewer_hints", "more_hints"]

_REMARKS = {
    "en": {
        r"softmax": "softmax over the keys", r"sqrt|0\.5|scale": "scale by sqrt(d)",
        r"\.view|reshape|unflatten": "reshape", r"transpose|permute": "swap axes",
        r"masked_fill|where": "apply the mask", r"nn\.Linear": "projection",
        r"@|matmul|einsum": "matrix product", r"\.shape|\.size": "sizes",
    },
    "zh": {
        r"softmax": "对 key 做 softmax", r"sqrt|0\.5|scale": "除以根号 d",
        r"\.view|reshape|unflatten": "调整形状", r"transpose|permute": "交换维度",
        r"masked_fill|where": "应用掩码", r"nn\.Linear": "线性投影",
        r"@|matmul|einsum": "矩阵乘法", r"\.shape|\.size": "取出各个尺寸",
    },
}  # fmt: skip
_DOCS = {
    "en": (
        "Attention.",
        "Implementation of attention, see the paper.",
        "My attention.\n\n    Works.",
    ),
    "zh": ("注意力。", "手写注意力机制，参考原论文。", "我的注意力实现。"),
}


def comments(module: cst.Module, rng: Random) -> cst.Module:
    """Take all comments away, or say in comments what lines do, in English or Chinese."""
    bare = module.visit(_NoComments())
    if rng.random() < 0.4:
        return bare
    remarks = _REMARKS[rng.choice(("en", "zh"))]
    above = rng.random() < 0.5
    return bare.visit(_Comments(remarks, rng, above=above))


class _NoComments(cst.CSTTransformer):
    """Takes comments away; the first lines may say how a file is to be read, and stay."""

    def leave_EmptyLine(self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine) -> Any:
        comment = updated_node.comment
        if comment is None or only_marks(comment.value) or comment.value.startswith("#!"):
            return updated_node
        if re.match(r"#.*coding[:=]", comment.value):
            return updated_node
        return cst.RemoveFromParent()

    def leave_TrailingWhitespace(
        self, original_node: cst.TrailingWhitespace, updated_node: cst.TrailingWhitespace
    ) -> Any:
        comment = updated_node.comment
        if comment is None:
            return updated_node
        left = only_marks(comment.value)
        space = cst.SimpleWhitespace("  " if left else "")
        return updated_node.with_changes(
            comment=cst.Comment(left) if left else None, whitespace=space
        )


class _Comments(cst.CSTTransformer):
    """Says of some statements what they do."""

    def __init__(self, remarks: dict[str, str], rng: Random, *, above: bool) -> None:
        super().__init__()
        self._remarks = remarks
        self._rng = rng
        self._above = above

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        text = code(original_node)
        said = next((said for what, said in self._remarks.items() if re.search(what, text)), None)
        if (
            said is None
            or text.startswith(("import", "from", '"', "'"))
            or self._rng.random() < 0.5
        ):
            return updated_node
        if self._above:
            line = cst.EmptyLine(indent=True, comment=cst.Comment(f"# {said}"))
            return updated_node.with_changes(leading_lines=[*updated_node.leading_lines, line])
        end = updated_node.trailing_whitespace
        if end.comment is not None:
            return updated_node
        end = end.with_changes(
            comment=cst.Comment(f"# {said}"), whitespace=cst.SimpleWhitespace("  ")
        )
        return updated_node.with_changes(trailing_whitespace=end)


def docstrings(module: cst.Module, rng: Random) -> cst.Module:
    """Take docstrings away, or put others in their place, in English or Chinese."""
    said = None if rng.random() < 0.5 else rng.choice(_DOCS[rng.choice(("en", "zh"))])
    return module.visit(_Docstrings(said))


class _Docstrings(cst.CSTTransformer):
    def __init__(self, said: str | None) -> None:
        super().__init__()
        self._said = said

    def _body(self, node: Any, *, said: str | None) -> Any:
        body = node.body
        if not isinstance(body, cst.IndentedBlock):
            return node
        rest = [*body.body]
        if _is_docstring(rest[0]):
            rest.pop(0)
        if said:
            rest.insert(0, cst.parse_statement(f'"""{said}"""'))
        return node.with_changes(body=body.with_changes(body=rest)) if rest else node

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> Any:
        return self._body(updated_node, said=self._said)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Any:
        return self._body(updated_node, said=None)

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        body = [*updated_node.body]
        if body and _is_docstring(body[0]) and "#§" not in code(body[0]):
            body[1] = body[1].with_changes(leading_lines=[]) if body[1:] else body[0]
            return updated_node.with_changes(body=body[1:])
        return updated_node


def _is_docstring(node: cst.CSTNode) -> bool:
    if not isinstance(node, cst.SimpleStatementLine) or len(node.body) != 1:
        return False
    first = node.body[0]
    return isinstance(first, cst.Expr) and isinstance(
        first.value, (cst.SimpleString, cst.ConcatenatedString)
    )


def fewer_hints(module: cst.Module, rng: Random) -> cst.Module:
    """Take the type hints of arguments, results and variables away."""
    return module.visit(_NoHints())


class _NoHints(cst.CSTTransformer):
    """A class's own annotations stay: a dataclass lives of them."""

    def __init__(self) -> None:
        super().__init__()
        self._within: list[str] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._within.append("class")

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._within.append("function")

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> Any:
        self._within.pop()
        return updated_node

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Any:
        self._within.pop()
        return updated_node.with_changes(returns=None)

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> Any:
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        if updated_node.annotation is None:
            return updated_node
        given = equal if updated_node.default else cst.MaybeSentinel.DEFAULT
        return updated_node.with_changes(annotation=None, equal=given)

    def leave_AnnAssign(self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign) -> Any:
        if self._within[-1:] != ["function"] or updated_node.value is None:
            return updated_node
        return cst.Assign([cst.AssignTarget(updated_node.target)], updated_node.value)


def more_hints(module: cst.Module, rng: Random) -> cst.Module:
    """Say the types of sizes, rates and tensors that have none."""
    imports = Imports(module)
    tensor = imports.called("torch.Tensor")
    if tensor is None or any("dataclass" in code(one) for one in each(module, cst.Decorator)):
        return module
    return module.visit(_Hints(tensor))


class _Hints(cst.CSTTransformer):
    """Sizes and rates are a constructor's: elsewhere `heads` may be a tensor."""

    def __init__(self, tensor: str) -> None:
        super().__init__()
        self._tensor = tensor
        self._within: list[str] = []

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._within.append(node.name.value)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Any:
        self._within.pop()
        return updated_node

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> Any:
        hint = self._hint(updated_node.name.value)
        if updated_node.annotation is not None or hint is None or updated_node.star:
            return updated_node
        if updated_node.default is not None and code(updated_node.default) == "None":
            hint = f'"{hint} | None"'
        annotation = cst.Annotation(cst.parse_expression(hint))
        changed = updated_node.with_changes(annotation=annotation)
        return changed.with_changes(equal=cst.AssignEqual()) if updated_node.default else changed

    def _hint(self, name: str) -> str | None:
        if self._within[-1:] == ["__init__"]:
            size = r"(?:hidden_|embed_|head_)?dim|\w*size|n(?:um)?_\w*heads?|d_\w+|n_embd|heads"
            return "int" if re.fullmatch(size, name) else "float" if "drop" in name else None
        if re.fullmatch(r"x|inputs|query|key|value|q|k|v|hidden_states", name):
            return self._tensor
        return self._tensor if "mask" in name else None


def blank_lines(module: cst.Module, rng: Random) -> cst.Module:
    """Put the blank lines within functions elsewhere."""
    return module.visit(_Blanks(rng, rng.choice((0.0, 0.2, 0.4))))


class _Blanks(cst.CSTTransformer):
    def __init__(self, rng: Random, share: float) -> None:
        super().__init__()
        self._rng = rng
        self._share = share
        self._depth = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._depth += 1

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Any:
        self._depth -= 1
        return updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        if not self._depth:
            return updated_node
        said = [line for line in updated_node.leading_lines if line.comment is not None]
        blank = [cst.EmptyLine(indent=False)] if self._rng.random() < self._share else []
        return updated_node.with_changes(leading_lines=[*blank, *said])
