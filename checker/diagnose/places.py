"""Where the line is that a mistake in a function is made on, behind the one where it shows."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...kata.slips import Slip
from ..process.answers import Step
from .asked import asks_both, from_end, neutral, read_whatever, roles_of, undrawn
from .blocks import outside
from .expressions import left_early, name_of, of_self, reads_a_size, scaling, span, turns
from .giveaways import called_late, changed, of_record, root_of, stand_ins
from .kinds import (
    behind_softmax,
    casts,
    compared,
    first,
    flips,
    folded_by,
    joins,
    laid_out,
    made_bool,
    moved_by,
    nearest,
    ors,
    sorts,
    spreads,
    turned,
)  # fmt: skip
from .lines import in_place, replaced, thrown_away
from .loops import loops_in
from .readings import Readings
from .signatures import parameters
from .statements import Function

__all__ = ["EXTRAS", "Places"]

# Calls that attention does without, and what it is to have one.
EXTRAS = {
    **dict.fromkeys(("layer_norm", "rms_norm", "group_norm", "batch_norm"), "norm-added"),
    **dict.fromkeys(
        (
            "relu", "relu_", "gelu", "tanh", "silu", "elu", "leaky_relu", "sigmoid", "selu", "mish",
        ),
        "activation-added",
    ),
}  # fmt: skip

# Calls that draw a causal mask, or put one on.
_DRAW = {"tril", "triu", "tril_", "triu_", "masked_fill", "masked_fill_", "where"}
# What a head's width is called.
_WIDTH = re.compile(
    r"^(d|dim|width|depth|d_?k|d_?q|d_?h(ead)?|d_?model|h(ead)?_?d(im)?|dim_head|head_size|头?[宽维]度?)$"
)
# Calls that cut an axis into two.
_CUTS = {"view", "reshape", "unflatten"}
# Calls of a norm by hand that uses a weight.
_BY_HAND = {"mul", "add", "addcmul"}
# What is called so is not seen.
_HIDING = re.compile(r"(?i)hidden|hides|block(ed|s)$|banned|forbid|ignore|invisible|^padd(ed|ing)$")


class Places(Readings):
    """Follows a step to what stands behind it, in a file of functions."""

    def behind(self, slip: Slip, step: Step, steps: Sequence[Step], others: set[str]) -> int | None:
        """The line that a mistake is made on, by its group; None: the step's own.

        step: where it shows. steps: all of its call. others: the other functions asked for.
        """
        lines, ran = step.lines, {line for each in steps for line in each.lines}
        behind: dict[str, Callable[[], int | None]] = {
            "begun": lambda: self.begun(lines),
            "call": lambda: lines[-1],
            "carried": lambda: self.carried(lines),
            "cast": lambda: self._cast(step, steps),
            "compared": lambda: nearest(step, steps, compared) or nearest(step, steps, made_bool),
            "drawn": lambda: None if any(each.marks for each in steps) else self.cut(ran),
            "fill": lambda: self.fill(lines),
            "flipped": lambda: nearest(step, steps, flips),
            "folded": lambda: folded_by(step, steps),
            "handed": lambda: read_whatever(self._function(lines[-1]), lines[-1]),
            "index": lambda: None if step.call in _CUTS else self.index(lines),
            "joined": lambda: (
                nearest(step, steps, ors) or self._either(lines, ran) or nearest(step, steps, joins)
            ),
            "kept": self._kept,
            "laid": lambda: laid_out(step, steps),
            "lined-up": lambda: self.lined_up(first(steps, _adds(slip.id)) or step),
            "loop": lambda: self._loop(self._outside(lines, others) or lines, others),
            "mask": lambda: self._undrawn(slip.id, ran) or self._unmasked(ran),
            "moved": lambda: moved_by(step, steps),
            "noted": lambda: self._noted(steps),
            "number": lambda: (
                self.number(lines)
                or self._standing(step)
                or self._built(step)
                or self.layer(lines, "norm")
            ),
            "offset": lambda: self.offset(lines),
            "ordered": lambda: called_late(self.functions, lines),
            "outside": lambda: outside(self.tree, lines),
            "read": lambda: self._read(lines),
            "remainder": lambda: self._remainder(ran),
            "scale": lambda: self._scaled(slip.id, lines),
            "softmax": lambda: self._axis(lines) or behind_softmax(step, steps),
            "sorted": lambda: nearest(step, steps, sorts),
            "start": lambda: self.start(lines),
            "swapped": lambda: self._swapped(slip.id, steps),
            "taken": lambda: self._taken(slip.id.partition("-")[0], lines, steps),
            "thrown": lambda: thrown_away(self.tree, ran) or self._undrawn(slip.id, ran),
            "turned": lambda: _line(first(steps, turned)),
            "variance": lambda: _line(first(steps, spreads)),
            "window": lambda: self._windowed(lines, ran),
            "written": lambda: self.handed_on_changed() or _line(in_place(steps)),
        }
        return behind[slip.group]() if slip.group in behind else None

    def _cast(self, step: Step, steps: Sequence[Step]) -> int | None:
        """Where another function gives a mask back in another dtype, which is all it does to it."""
        own = self._function(step.lines[0])
        before = steps[: next(at for at, one in enumerate(steps) if one is step)]
        found = (one.lines[0] for one in before if one.lines and casts(one))
        return next((line for line in found if self._function(line) is not own), None)

    def _undrawn(self, mistake: str, ran: set[int]) -> int | None:
        """The branch that kept a causal mask from being drawn, of a mistake that leaves it out."""
        return undrawn(self.tree, ran) if mistake.startswith("causal-missing") else None

    def _unmasked(self, ran: set[int]) -> int | None:
        """Where a mask is thrown away, or the branch, the drawing or the call that is skipped."""
        drawn = (node.lineno for node in self.skipped(ran, _DRAW))
        thrown = thrown_away(self.tree, ran)
        branch = self.unmasked_branch(ran) or next(drawn, None) or neutral(self.tree, ran)
        return thrown or branch or self.unmasked_call()

    def own_line(self, lines: list[int], others: set[str]) -> int:
        """The innermost line outside of the other functions that are asked for."""
        lines = self.chosen(lines)
        return next(iter(self._outside(lines, others)), lines[0])

    def _outside(self, lines: Sequence[int], others: set[str]) -> list[int]:
        """The lines that are in none of some functions."""
        return [n for n in lines if getattr(self._function(n), "name", "") not in others]

    def within(self, step: Step) -> Step:
        """The step as a part of a model has it, without the loop that calls its parts in turn."""
        loops = [at for at, line in enumerate(step.lines) if at > 0 and self._in_loop(line)]
        inside = step.lines[: max(loops, default=len(step.lines))]
        while len(inside) > 1 and self._in_loop(inside[-1]):
            inside = inside[:-1]
        return replace(step, lines=inside)

    def _in_loop(self, line: int) -> bool:
        """Whether a loop over modules is what stands around a line."""
        return bool(self._loops_around(line))

    def last_return(self, line: int) -> int | None:
        """The last return of the function that a line stands in."""
        around = [one for one in self.functions if one.lineno <= line <= (one.end_lineno or 0)]
        returns = [
            node.lineno for one in around for node in ast.walk(one) if isinstance(node, ast.Return)
        ]
        return max(returns, default=None)

    def _scaled(self, mistake: str, lines: list[int]) -> int | None:
        """Where what scales on a line was read, worked out, or used before."""
        found = self.scale(lines) or self.scaled_below(lines)
        earlier = self._misread(mistake, [found]) if found is not None else None
        return self._misread(mistake, lines) or earlier or found

    def _misread(self, mistake: str, lines: list[int]) -> int | None:
        """Where what is called a head's width was read of another size, or given as one."""
        operands = scaling(self._statement(lines[0])) if mistake.startswith("scale-by-") else ()
        for node in (node for operand in operands for node in ast.walk(operand)):
            if isinstance(node, ast.Name) and _WIDTH.search(node.id):
                made = self._local(node.id, lines[0]) or self._given(node.id, lines)
                if made is not None and (reads_a_size(made.value) or made.line in lines[1:]):
                    return made.line
        return None

    def _axis(self, lines: list[int]) -> int | None:
        """Where the axis of a softmax was set, or by whom a helper was given it."""
        found = self.softmax(lines) or self.summed(lines)
        if found is not None:
            return found
        for node in ast.walk(self._statement(lines[0]) or ast.Pass()):
            if isinstance(node, ast.keyword) and node.arg in {"dim", "axis"}:
                made = self._given(getattr(node.value, "id", ""), lines)
                if made is not None and made.line in lines:
                    return made.line
        return None

    def _taken(self, role: str, lines: list[int], steps: Sequence[Step]) -> int:
        """Where a role takes its input as it comes: outside of helpers that come after layers."""
        projecting = {line for step in steps if step.weights for line in step.lines}
        functions = self.functions_of(projecting)
        outside = (n for n in range(len(lines)) if functions & self.functions_of({lines[n]}))
        lines = lines[next(outside, 0) :]
        return self.alias(lines, role) or lines[0]

    def _standing(self, step: Step) -> int | None:
        """The one line on which a fraction stands that a step is given."""
        found = {
            node.lineno for node in ast.walk(self.tree)
            if isinstance(node, ast.Constant) and type(node.value) is float
            and node.value in step.numbers
        }  # fmt: skip
        return _only(found)

    def _built(self, step: Step) -> int | None:
        """Where the layer was made whose weight a step uses; what is by hand stands at the step."""
        weights = step.weights if step.call.strip("_") not in _BY_HAND else ()
        parts = (part for name in weights for part in name.split(".")[-2::-1])
        return next((made.line for made in map(self._attribute, parts) if made is not None), None)

    def _swapped(self, mistake: str, steps: Sequence[Step]) -> int | None:
        """Where what a layer makes gets another role's name; else its second call."""
        renamed = self.renamed("v", "k") if mistake == "values-from-keys" else None
        used = [step for step in steps if step.weights and step.lines]
        uses = {step.weights[0]: list[Step]() for step in used}
        for step in used:
            uses[step.weights[0]].append(step)
        misnamed = (self.misnamed(many, weight) for weight, many in uses.items())
        twice = (many[-1] for many in uses.values() if len(many) > 1)
        found = next(filter(None, misnamed), None)
        again = next(twice, None) if found is None else None
        # A helper that is called twice does right: who calls it is meant.
        helped = again is not None and len({*(s.line for s in uses[again.weights[0]])}) == 1
        told = found or again
        if renamed is not None or told is None:
            return renamed
        return told.lines[1 if helped and len(told.lines) > 1 else 0]

    def _loop(self, lines: Sequence[int], others: set[str]) -> int | None:
        """What says how often the innermost loop around a line runs, or one that called it.

        Else the last loop before it.
        """
        loops = [*loops_in(self.tree)]
        around = [[one for one in loops if line in span(one)] for line in lines]
        if any(around):
            loop = max(next(filter(None, around)), key=lambda one: one.lineno)
            return left_early(loop) or self.loop_end(loop) or loop.lineno
        fold = self.fold(lines)
        gathered = None if fold is None else self.fold_end(fold)
        own = self._outside([one.lineno for one in loops], others)
        earlier = (one for one in loops if one.lineno in own and one.lineno < lines[0])
        last = max(earlier, key=lambda one: one.lineno, default=None)
        before = None if last is None else self.loop_end(last) or last.lineno
        # A loop that is left at once leaves no trace.
        later = (left_early(one) for one in loops if one.lineno > lines[0])
        return (
            gathered or before or next(filter(None, later), None) or getattr(fold, "lineno", None)
        )

    def _read(self, lines: list[int]) -> int | None:
        """Where what a line hides by was turned round, filled in or made a number, if elsewhere."""
        nodes = [*ast.walk(self._statement(lines[0]) or ast.Pass())]
        if any(map(turns, nodes)) or roles_of(nodes) & {"mask", "padding"}:
            return None
        names = (n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        for name in names:
            made = self._local(name, lines[0])
            parts = [*ast.walk(made.value)] if made is not None else []
            filled = any(isinstance(n, ast.Attribute) and n.attr in _DRAW for n in parts)
            sums = any(isinstance(n, ast.BinOp) for n in parts)
            read = filled or sums or _HIDING.search(name) or any(map(turns, parts))
            if made is not None and read and roles_of(parts) & {"mask", "padding"}:
                return made.line
        return None

    def _windowed(self, lines: list[int], ran: set[int]) -> int | None:
        """The one line that calculates with the window, where a mistake shows behind it."""
        found = {
            node.lineno
            for node in ast.walk(self.tree)
            if isinstance(node, (ast.BinOp, ast.Compare, ast.UnaryOp))
            and node.lineno in self._around(ran)
            and any("win" in n.id.lower() for n in ast.walk(node) if isinstance(n, ast.Name))
        }  # fmt: skip
        line = _only(found)
        return None if line in lines else from_end(self.tree, line) or line

    def _remainder(self, ran: set[int]) -> int | None:
        """The one line that takes a remainder, and makes sure of nothing by it."""
        ours = [f for f in map(self._function, ran) if f is not None]
        # What counts in plain Python leaves no trace.
        functions = [*ours, *self.helping(ours)]
        sure = {n for one in ast.walk(self.tree) if isinstance(one, ast.Assert) for n in span(one)}
        found = {
            node.lineno for one in functions for node in ast.walk(one)
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
            and node.lineno not in sure
        }  # fmt: skip
        return _only(found)

    def _noted(self, steps: Sequence[Step]) -> int | None:
        """The first line that writes into an entry, one after another."""
        ran = {line for each in steps for line in each.lines}
        # Or what a loop calls does.
        called = {each.lines[0] for each in steps if any(map(self._in_loop, each.lines[1:]))}
        return min(
            (
                node.lineno for node in ast.walk(self.tree)
                if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
                and (self._in_loop(node.lineno) or node.lineno in called)
                and node.lineno in self._around(ran)
            ),
            default=None,
        )  # fmt: skip

    def around(self, ran: set[int]) -> list[Function]:
        """The functions that ran, in their order."""
        found = {id(one): one for one in map(self._function, sorted(ran)) if one is not None}
        return [*found.values()]

    def helping(self, functions: Sequence[Function]) -> list[Function]:
        """The further functions of the file that some speak of, and those that these do."""
        found = [*functions]
        for one in found:
            told = {*map(name_of, ast.walk(one))}
            found += [other for other in self.functions
                      if other not in found and getattr(other, "name", "") in told]  # fmt: skip
        return found[len(functions) :]

    def _around(self, ran: set[int]) -> set[int]:
        """All lines of the functions that ran."""
        around = [f for f in map(self._function, ran) if f is not None]
        return {n for f in around for n in span(f)}

    def _kept(self) -> int | None:
        """Where a method keeps on `self` what it worked out, be it by adding to it."""
        methods = [one for one in ast.walk(self.own) if isinstance(one, ast.FunctionDef)]
        later = [node for one in methods if one.name != "__init__" for node in ast.walk(one)]
        kept = [
            node.lineno
            for node in later
            if (isinstance(node, ast.AugAssign) and of_self(node.target))
            or (
                isinstance(node, ast.Assign)
                and any(map(of_self, node.targets))
                and not isinstance(node.value, ast.Constant)
            )
        ]
        return max(kept, default=None)

    def handed_on_changed(self) -> int | None:
        """Where what was handed in is changed: a container, or the file's own cache object."""
        for function in self.functions:
            name = getattr(function, "name", "__init__")
            helping = function not in [*ast.walk(self.own)] or of_record(self.tree, function)
            objects = ["self"] if helping else []
            given = [] if name == "__init__" else [*parameters(function), *objects]
            copied, others = stand_ins(function, {*given})
            for names in ({*given}, others):
                for own in map(changed, ast.walk(function) if given else ()):
                    # An entry of a shallow copy is the entry of what was handed in.
                    root, whole = "" if own is None else root_of(own), isinstance(own, ast.Name)
                    if own and (root in names - copied or (root in copied and not whole)):
                        return own.lineno
        return None

    def _either(self, lines: list[int], ran: set[int]) -> int | None:
        """An `elif`, or a test of both, by which two that hide shut each other out."""
        own = self._function(lines[0]) or ast.Pass()
        others = [one for one in self.around(ran) if one is not own]
        for node in (node for one in (own, *others) for node in ast.walk(one)):
            if isinstance(node, (ast.If, ast.IfExp)) and asks_both(node.test):
                return node.test.lineno
            if isinstance(node, ast.If) and len(node.orelse) == 1:
                other = node.orelse[0]
                if isinstance(other, ast.If) and asks_both(node.test, other.test):
                    return other.lineno
        return next(filter(None, (replaced(one, "mask") for one in (own, *others))), None)


def _only(lines: set[int]) -> int | None:
    """The line, where there is one alone."""
    return lines.pop() if len(lines) == 1 else None


def _adds(mistake: str) -> Callable[[Step], bool]:
    """Whether a step does what attention does without, and a mistake is to have."""
    return lambda step: EXTRAS.get(step.call.strip("_")) == mistake


def _line(step: Step | None) -> int | None:
    return None if step is None else step.line
