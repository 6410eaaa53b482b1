"""Statements: names for what has none, values without one, and another order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import libcst as cst

from .marks import marks
from .tree import Imports, bare, code, dotted, each, expression, identifiers

__all__ = ["inlined", "named", "reordered"]

# What a part is called that gets a name, by what it ends in.
_WORDS = {
    "softmax": ("probs", "attn_w"), "matmul": ("prod", "mm"), "transpose": ("turned", "swapped"),
    "view": ("shaped", "viewed"), "reshape": ("reshaped", "flat"), "masked_fill": ("filled", "hid"),
    "permute": ("moved", "permuted"), "sqrt": ("root", "denom"), "einsum": ("summed", "sums"),
    "mT": ("k_t", "key_t"), "contiguous": ("packed", "solid"), "unsqueeze": ("wide", "expanded"),
}  # fmt: skip
_ANY = ("tmp", "temp", "inner", "part", "interim")
# What draws a random number, writes to something or speaks keeps its place.
_ORDERED = re.compile(
    r"drop|rand|append|print|\.pop\(|register|assert|seed|_\(|await|yield|:=|finfo"
)
_WIDEST = 110

Body = Sequence[cst.BaseStatement]


class _Bodies(cst.CSTTransformer):
    """Changes the statements of every block within a function."""

    def __init__(self, change: Callable[[Body], list[cst.BaseStatement]]) -> None:
        super().__init__()
        self._change = change
        self._depth = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._depth += 1

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Any:
        self._depth -= 1
        return updated_node

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.BaseSuite:
        if not self._depth:
            return updated_node
        return updated_node.with_changes(body=self._change(updated_node.body))


def _alone(statement: cst.BaseStatement) -> cst.BaseSmallStatement | None:
    """Return what stands alone in its line."""
    one = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
    return statement.body[0] if one and isinstance(statement, cst.SimpleStatementLine) else None


def named(module: cst.Module, rng: Random) -> cst.Module:
    """Give names to parts of expressions, but in followed lines: which part is meant is unknown."""
    taken = identifiers(module)
    imports = Imports(module)

    def change(body: Body) -> list[cst.BaseStatement]:
        made: list[cst.BaseStatement] = []
        for statement in body:
            made += _split(statement, taken, imports, rng) if rng.random() < 0.4 else [statement]
        return made

    return module.visit(_Bodies(change))


def _split(
    statement: cst.BaseStatement, taken: set[str], imports: Imports, rng: Random
) -> list[cst.BaseStatement]:
    small = _alone(statement)
    if not isinstance(small, (cst.Assign, cst.Return)) or small.value is None:
        return [statement]
    text = code(statement)
    if marks(text) or _ORDERED.search(text) or "\n" in text:
        return [statement]
    parts = _first_parts(small.value, imports)
    if not parts:
        return [statement]
    part = rng.choice(parts)
    words = next((words for end, words in _WORDS.items() if _ends_in(part, end)), ())
    free = [word for word in (*words, *_ANY) if word not in taken]
    if not free:
        return [statement]
    taken.add(free[0])
    rest = statement.deep_replace(part, cst.Name(free[0]))
    first = cst.parse_statement(f"{free[0]} = {code(bare(part))}\n")
    assert isinstance(first, cst.SimpleStatementLine)
    assert isinstance(rest, cst.SimpleStatementLine)
    return [
        first.with_changes(leading_lines=rest.leading_lines),
        rest.with_changes(leading_lines=[]),
    ]


def _first_parts(value: cst.BaseExpression, imports: Imports) -> list[cst.BaseExpression]:
    """Return the parts of a value that are computed before all else, the whole left out."""
    parts: list[cst.BaseExpression] = []
    node: cst.BaseExpression | None = value
    while node is not None:
        if isinstance(node, cst.BinaryOperation):
            node = node.left
        elif isinstance(node, cst.Call):
            whole = imports.whole(node.func)
            method = isinstance(node.func, cst.Attribute) and dotted(node.func) is None
            inner = node.func.value if method and isinstance(node.func, cst.Attribute) else None
            first = node.args[0] if node.args and not node.args[0].star else None
            own = whole is not None or (dotted(node.func) or "").startswith("self.")
            node = inner or (first.value if own and first else None)
        elif isinstance(node, cst.Attribute):
            node = node.value
        else:
            node = None
        if isinstance(node, (cst.BinaryOperation, cst.Call)):
            parts.append(node)
    return parts


def _ends_in(node: cst.BaseExpression, end: str) -> bool:
    if isinstance(node, cst.BinaryOperation):
        return end == "matmul" and isinstance(node.operator, cst.MatrixMultiply)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.attr.value == end
    return False


def inlined(module: cst.Module, rng: Random) -> cst.Module:
    """Put values where their names are used, if that is once and in the next statement."""
    counts = Counter(name.value for name in each(module, cst.Name))

    def change(body: Body) -> list[cst.BaseStatement]:
        made: list[cst.BaseStatement] = []
        for statement in body:
            joined = _joined(made[-1], statement, counts) if made and rng.random() < 0.5 else None
            if joined is None:
                made.append(statement)
            else:
                made[-1] = joined
        return made

    return module.visit(_Bodies(change))


def _joined(
    first: cst.BaseStatement, second: cst.BaseStatement, counts: Counter[str]
) -> cst.BaseStatement | None:
    """Return the second statement with the first one's value in its name's place."""
    given, use = _alone(first), _alone(second)
    if not isinstance(given, cst.Assign) or not isinstance(use, (cst.Assign, cst.Return)):
        return None
    target = given.targets[0].target
    if len(given.targets) != 1 or not isinstance(target, cst.Name) or use.value is None:
        return None
    text = code(first) + code(second)
    uses = [name for name in each(use.value, cst.Name) if name.value == target.value]
    nested = "lambda" in text or " for " in text
    if len(uses) != 1 or counts[target.value] != 2 or nested or _ORDERED.search(text):
        return None
    if "\n" in code(given) or "\n" in code(use) or " if " in code(use):
        return None
    value = expression(f"({code(bare(given.value))})") if _loose(given.value) else given.value
    joined = second.deep_replace(uses[0], value)
    assert isinstance(joined, cst.SimpleStatementLine)
    assert isinstance(first, cst.SimpleStatementLine)
    if len(code(joined.body[0])) > _WIDEST:
        return None
    found = " ".join(f"#§{mark}" for mark in marks(code(first)))
    ending = joined.trailing_whitespace
    if found:
        words = f"{ending.comment.value} {found}" if ending.comment else found
        space = cst.SimpleWhitespace("  ")
        ending = ending.with_changes(comment=cst.Comment(words), whitespace=space)
    above = [*first.leading_lines, *joined.leading_lines]
    return joined.with_changes(leading_lines=above, trailing_whitespace=ending)


def _loose(node: cst.BaseExpression) -> bool:
    """Whether a value needs brackets where it stands among operators."""
    return not node.lpar and not isinstance(
        node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
    )


def reordered(module: cst.Module, rng: Random) -> cst.Module:
    """Exchange neighbouring assignments of which neither reads or writes what the other writes."""

    def change(body: Body) -> list[cst.BaseStatement]:
        made = list(body)
        for _ in range(2):
            for place in range(len(made) - 1):
                if rng.random() < 0.5 and _independent(made[place], made[place + 1]):
                    made[place], made[place + 1] = made[place + 1], made[place]
        return made

    return module.visit(_Bodies(change))


def _independent(first: cst.BaseStatement, second: cst.BaseStatement) -> bool:
    one, other = _alone(first), _alone(second)
    if not isinstance(one, cst.Assign) or not isinstance(other, cst.Assign):
        return False
    if _ORDERED.search(code(one) + code(other)):
        return False
    writes, reads = _written(one), _named(one)
    others, theirs = _written(other), _named(other)
    if writes is None or others is None or writes & (others | theirs) or others & reads:
        return False
    # A method of one's own may read what is kept.
    kept = any(name.startswith("self.") for name in writes | others)
    return not (kept and re.search(r"\bself\.\w+\(", code(one) + code(other)))


def _written(node: cst.Assign) -> set[str] | None:
    """Return the names that an assignment binds; None where it binds anything else."""
    names: set[str] = set()
    for target in node.targets:
        parts = [target.target]
        while parts:
            part = parts.pop()
            if isinstance(part, (cst.Tuple, cst.List)):
                parts += [one.value for one in part.elements]
                continue
            name = dotted(part)
            if name is None or (name.count(".") and not re.fullmatch(r"self\.\w+", name)):
                return None
            names.add(name)
    return names


def _named(node: cst.CSTNode) -> set[str]:
    """Return the names and attributes of self that stand in a piece of code."""
    names = {name.value for name in each(node, cst.Name)} - {"self"}
    return names | {name for one in each(node, cst.Attribute) if (name := dotted(one))}
