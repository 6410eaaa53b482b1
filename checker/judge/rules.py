"""Rules on operators, loops and memory, held against what was seen at run time."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ...kata.arithmetic import worth
from ...kata.functions import AUTOGRAD, Argument, Function
from ..diagnose.lines import writes
from ..process.answers import Entry, Step
from ..report.message import Value
from .source import Source
from .trials import Trial

__all__ = ["GROUPS", "Breach", "asks_of_memory", "broken", "misplaced"]

# What a rule may name at once.
GROUPS = {
    "products": {
        "@", "matmul", "mm", "bmm", "mv", "dot", "vdot", "inner", "outer", "einsum", "tensordot",
        "linear", "bilinear", "addmm", "addmv", "addbmm", "baddbmm", "chain_matmul", "multi_dot",
        "kron", "conv1d", "conv2d",
    },
    "softmaxes": {
        "softmax", "log_softmax", "logsumexp", "softmin", "logcumsumexp",
        "gumbel_softmax", "cross_entropy", "softmax2d",
    },
    "copies": {"clone", "contiguous", "repeat", "repeat_interleave", "tile", "cat", "stack"},
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A rule that is broken. key: its sentence. mistake: its page. values: what is filled in.

    returned: it is about what comes back, so its line is the last `return`.
    """

    key: str
    mistake: str
    line: int | None
    values: dict[str, Value]
    returned: bool = False


def broken(
    function: Function, entry: Entry, trials: Sequence[Trial], source: Source
) -> Iterator[Breach]:
    """Yield the rules on operators and loops that a function breaks."""
    rules = function.rules
    steps = [step for trial in trials for step in trial.answer.steps]
    ran = any(trial.answer.steps for trial in trials)
    missing = [
        " / ".join(f"`{rule}`" for rule in row)
        for row in rules.must
        if ran and not any(any(_named(rule, step) for rule in row) for step in steps)
    ]
    for rule in rules.never:
        if rule == AUTOGRAD:
            derived = next((step for step in steps if step.derives), None)
            if derived is not None:
                yield Breach(key="direct-autograd", mistake="autograd-used", line=derived.line,
                             values={"call": derived.spelt})  # fmt: skip
            continue
        used = next((step for step in steps if _named(rule, step)), None)
        if used is not None:
            # One call where others are asked for is one fault.
            key, wanted = ("direct-instead", missing[0]) if missing else ("direct-never", "")
            missing.clear()
            call = used.written
            yield Breach(key=key, mistake="forbidden-call", line=used.line,
                         values={"call": call, "wanted": wanted})  # fmt: skip
    for wanted in missing:
        yield Breach(key="direct-must", mistake="operator-missing", line=entry.line,
                     values={"wanted": wanted})  # fmt: skip
    if not rules.loops:
        line = _loop(source, [set(step.lines) for step in steps])
        if line is not None:
            yield Breach(key="direct-loop", mistake="python-loop", line=line, values={})


def asks_of_memory(function: Function) -> bool:
    """Whether anything is asked of a result's memory, or of tensors made on the way."""
    asked = function.memory
    told = (
        asked.view_of, asked.copy_of, asked.strides, asked.largest, asked.apart, asked.carried,
        asked.rows,
    )  # fmt: skip
    return any(told) or asked.contiguous is not None


def misplaced(
    function: Function, trials: Sequence[Trial], others: AbstractSet[int] = frozenset()
) -> Iterator[Breach]:
    """Yield what is wrong with a result's memory, and with tensors made on the way.

    others: the lines of the other functions that are asked for.
    """
    asked = function.memory
    for trial in trials:
        answer, scope = trial.answer, trial.case.scope()
        if not answer.outs:
            continue
        shares = answer.shares
        last = _last_made(answer.steps)
        if asked.view_of and asked.view_of not in shares:
            yield Breach(key="direct-view", mistake="result-copied", line=_copied(trial) or last,
                         values={"name": asked.view_of})  # fmt: skip
        if asked.copy_of and asked.copy_of in shares:
            yield Breach(key="direct-copy", mistake="result-shared", line=last,
                         values={"name": asked.copy_of})  # fmt: skip
        if asked.contiguous is not None and answer.contiguous != asked.contiguous:
            key = "direct-contiguous" if asked.contiguous else "direct-not-contiguous"
            mistake = "result-shared" if asked.contiguous else "result-copied"
            yield Breach(key=key, mistake=mistake, line=last,
                         values={"strides": str(tuple(answer.strides))})  # fmt: skip
        wanted = [worth(text, scope) for text in asked.strides]
        if wanted and answer.strides != wanted and _shaped(trial):
            values: dict[str, Value] = {
                "strides": str(tuple(answer.strides)),
                "wanted": str(tuple(wanted)),
            }
            yield Breach(key="direct-strides", mistake="result-strides", line=last, values=values)
        if asked.largest:
            yield from _too_large(trial, worth(asked.largest, scope), asked.largest, others)
        if asked.apart:
            apart = Counter(worth(text, scope) for text in asked.apart)
            # An axis of size 1 may be any axis.
            yield from _together(trial, apart, others) if min(apart) > 1 else ()
    if asked.carried and function.state is not None:
        yield from _hoarded(function.state, trials, asked.carried)


def _hoarded(state: Argument, trials: Sequence[Trial], text: str) -> Iterator[Breach]:
    """Yield a state that grows by more than it may in every call that goes on with another."""
    held: dict[tuple[int, str], int] = {}
    grown: list[tuple[int, int, int]] = []
    for trial in trials:
        given, entries = trial.given, trial.answer.held
        if not trial.group or entries is None:
            continue
        before = held.get((trial.group, given.carried))
        if before is not None:
            length = trial.case.sizes[state.along]
            most = worth(text, trial.case.scope())
            grown.append((entries - before - most * length, (entries - before) // length, most))
        held[trial.group, given.kept] = entries
    if grown and min(grown)[0] > 0:
        _, entries, most = min(grown)
        values: dict[str, Value] = {
            "name": state.name,
            "entries": entries,
            "most": most,
            "sum": text,
        }
        yield Breach(key="direct-carried", mistake="state-too-large", line=None, values=values,
                     returned=True)  # fmt: skip


def _last_made(steps: Sequence[Step]) -> int | None:
    """The line of the last step that gives a tensor, and does not write into one."""
    made = [step for step in steps if step.line and step.shape is not None]
    anew = (step.line for step in reversed(made) if not writes(step.call))
    return next(anew, made[-1].line if made else None)


def _shaped(trial: Trial) -> bool:
    """Whether the result has its shape; the strides of another one say nothing."""
    return not trial.expected or trial.answer.outs[0].shape == trial.expected[0].shape


def _too_large(trial: Trial, most: int, text: str, others: AbstractSet[int]) -> Iterator[Breach]:
    answer = trial.answer
    step, line = _own([step for step in answer.steps if step.fresh > most], others)
    if step is not None:
        yield Breach(
            key="direct-large", mistake="tensor-too-large", line=line,
            values={"call": step.written, "shape": _shape(step),
                    "entries": step.fresh, "most": most, "sum": text},
        )  # fmt: skip
    elif answer.entries > most and not answer.shares:
        yield Breach(
            key="direct-large-result", mistake="tensor-too-large", line=None,
            values={"entries": answer.entries, "most": most, "sum": text},
        )  # fmt: skip


def _together(trial: Trial, apart: Counter[int], others: AbstractSet[int]) -> Iterator[Breach]:
    """Yield the first tensor made on the way with axes that none may have together."""
    many = (one for one in trial.answer.steps if one.fresh and one.shape)
    step, line = _own([one for one in many if apart <= Counter(one.shape or ())], others)
    if step is not None:
        yield Breach(
            key="direct-apart", mistake="tensor-too-large", line=line,
            values={"call": step.written, "shape": _shape(step),
                    "apart": str(tuple(apart.elements()))},
        )  # fmt: skip


def _own(steps: Sequence[Step], others: AbstractSet[int]) -> tuple[Step | None, int | None]:
    """The first step that no other of the functions makes, else the first; and its line.

    What another function is asked to make may well be that large: who asks it for it is told.
    """
    outside = (one for one in steps if others.isdisjoint(one.lines[:1]))
    step = next(outside, next(iter(steps), None))
    lines = step.lines if step is not None else ()
    return step, next((line for line in lines if line not in others), next(iter(lines), None))


def _shape(step: Step) -> str:
    return str(tuple(step.shape)) if step.shape is not None else ""


def _copied(trial: Trial) -> int | None:
    """The first line that moves values into memory of their own."""
    steps = trial.answer.steps
    return next((step.line for step in steps if step.fresh > 0), None)


def _named(rule: str, step: Step) -> bool:
    """Whether a rule, or one of the group that it names, is about this call."""
    if rule in GROUPS:
        return any(_named(one, step) for one in GROUPS[rule])
    spelt = str(step.written)
    if rule == spelt:
        return True
    if not rule.isidentifier() or (not spelt[:1].isalpha() and spelt[:1] != "_"):
        return False
    bare = str(step.call).partition(".")[0].strip("_").removeprefix("special_")
    return bare == rule


def _loop(source: Source, ran: Sequence[set[int]]) -> int | None:
    """A loop of Python's in which some torch call ran, as often as some size asks for.

    ran: the lines that were running at each call. `for t in (query, key)` goes over a list of
    two, as one over `*tensors` does, and `(n for n in x.shape)` over sizes alone: neither is a
    loop over a tensor.
    """
    listed = _lists(source.tree)
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.For, ast.While)):
            first, over, harmless = node.body[0], [getattr(node, "iter", node)], False
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            first, over = node, [part.iter for part in node.generators]
            harmless = _sizes(node.elt) or all(_sizes(one) for one in over)
        else:
            continue
        few = all(_is_list(one, listed) for one in over)
        own = set(range(first.lineno, (node.end_lineno or node.lineno) + 1))
        if not harmless and not few and any(lines & own for lines in ran):
            return node.lineno
    return None


def _lists(tree: ast.AST) -> set[str]:
    """The names that stand for as many arguments as are given, or for what is written as a list."""
    written: dict[str, list[bool]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments) and node.vararg is not None:
            written.setdefault(node.vararg.arg, []).append(True)
        if isinstance(node, ast.Assign):
            shown = isinstance(node.value, (ast.Tuple, ast.List))
            for target in (one for one in node.targets if isinstance(one, ast.Name)):
                written.setdefault(target.id, []).append(shown)
    return {name for name, shown in written.items() if all(shown)}


def _is_list(node: ast.AST, listed: set[str]) -> bool:
    """Whether what is gone over is a list as it is written, or by one of these names."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        together = node.func.id in {"zip", "enumerate", "reversed"} and bool(node.args)
        return together and all(_is_list(one, listed) for one in node.args)
    if isinstance(node, ast.Name):
        return node.id in listed
    return isinstance(node, (ast.Tuple, ast.List))


def _sizes(node: ast.expr) -> bool:
    """Whether an expression is a tensor's shape, or a part of one."""
    if isinstance(node, ast.Subscript):
        return _sizes(node.value)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "size"
    return isinstance(node, ast.Attribute) and node.attr == "shape"
