"""A submission judged as this interview asks: the judge's report, and what was agreed on."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from ...checker import Bench, Options, Report
from ...kata.catalogue import Kata
from ...sentences.wording import sentence
from ..debug.handing import Judge, by_bench
from .requirements import matters, value
from .voices import group_of

__all__ = ["Examiner", "Outcome", "default_rate", "weigh"]

_PORTABLE = {"dtypes", "device"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a submission came to.

    missed: topics on which it is not what was agreed. unsure: those that neither report nor
    source can tell. forgiven: checks that fail and are not asked for in this interview.
    """

    accepted: bool
    missed: tuple[str, ...]
    unsure: tuple[str, ...]
    forgiven: tuple[str, ...]
    group: str


class Examiner:
    """A judge that is kept warm through an interview, and replaced where it dies."""

    def __init__(self) -> None:
        self._bench: Bench | None = None

    def __enter__(self) -> Examiner:  # noqa: PYI034 - typing.Self is Python 3.11's
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def warm(self) -> None:
        """Begin to load torch, so that the first verdict comes at once."""
        if self._bench is None:
            self._bench = Bench()

    def close(self) -> None:
        """End the judge."""
        if self._bench is not None:
            self._bench.close()
            self._bench = None

    def texts(self, kata: Kata) -> Judge:
        """Return a judge of texts, for a step in which nothing is left open."""
        self.warm()
        assert self._bench is not None
        return by_bench(self._bench, kata)

    def judge(self, kata: Kata, file: str, source: str, drawn: Mapping[str, str]) -> Report:
        """Judge a source text, as it stood when it was submitted."""
        self.warm()
        assert self._bench is not None
        # A GPU's driver would take seconds to start; a pretended one finds the same faults.
        wanted: dict[str, Any] = {"heat": True, "device": "cpu"}
        if kata.promised is not None and kata.promised.masks:
            wanted["mask"], wanted["any_mask"] = drawn["meaning"], True
        if kata.promised is not None and kata.promised.output == "required":
            wanted["output"] = drawn["output"]
        known = {field.name for field in fields(Options)}
        options = Options(**{name: one for name, one in wanted.items() if name in known})
        with tempfile.TemporaryDirectory(prefix="attn-kata-") as folder:
            copy = Path(folder) / Path(file).name
            copy.write_text(source, "utf-8")
            report = next(self._bench.judge(kata.id, [copy], options))
        if report.error is not None and report.error.kind == "crash":
            # It may have been the judge that died: the next submission gets a new one.
            self.close()
        return replace(report, file=file)


def weigh(report: Report, source: str, kata: Kata, drawn: Mapping[str, str]) -> Outcome:
    """Hold a report against what this interview asks for."""
    failing = {check.id for check in report.checks if check.status == "fail"}
    lenient = value("precision", kata, drawn) == "float32"
    ran = report.verdict == "fail" and all(part.status != "waits" for part in report.functions)
    forgiven = lenient and ran and bool(failing) and failing <= _PORTABLE
    right = report.verdict == "pass" or forgiven
    missed: list[str] = []
    unsure: list[str] = []
    if right:
        for topic in ("entries", "output", "dropout"):
            if matters(topic, kata, drawn):
                met = _met(topic, report, source, drawn)
                if met is None:
                    unsure.append(topic)
                elif not met:
                    missed.append(topic)
    return Outcome(
        accepted=right and not missed,
        missed=tuple(missed),
        unsure=tuple(unsure),
        forgiven=tuple(sorted(failing)) if forgiven else (),
        group="" if right and not missed else group_of(report, agreed=right),
    )


def _met(topic: str, report: Report, source: str, drawn: Mapping[str, str]) -> bool | None:
    """Whether a right implementation is the one that was agreed on; None where nobody can tell."""
    if topic == "entries":
        # A form or dtype that it cannot take is remarked on, and left out of the check's row.
        if not any(remark.id == "mask-form" for remark in report.remarks):
            return True
        wanted = {"bool": "bool", "int": "int64"}[drawn["entries"]]
        return any(
            wanted in sentence(check.detail, "en") for check in report.checks if check.id == "mask"
        )
    if topic == "output":
        if not report.roles:
            return None
        return ("o" in report.roles) == (drawn["output"] == "wanted")
    if {"dropout-not-applied", "dropout-unused"} & {remark.id for remark in report.remarks}:
        return False
    rate = default_rate(source, report.object or "")
    return None if rate is None else abs(rate - float(drawn["dropout"])) < 1e-9


def default_rate(source: str, class_name: str) -> float | None:
    """Return the dropout rate that a class has unless told otherwise, read from its source.

    Its constructor's default where it takes a rate, or the number that it drops at. None
    where it is not written there as a number.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    globals_ = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    home: ast.AST = tree
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            home = node
    for node in ast.walk(home):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            found = _argument(node)
            if found is not None:
                return _number(found, globals_)
    for node in ast.walk(home):
        if isinstance(node, ast.Call) and _drops(node.func):
            return _number(_rate(node), globals_)
    return None


def _drops(called: ast.expr) -> bool:
    """Whether a call makes a dropout layer or drops at once: `nn.Dropout`, `F.dropout`."""
    if isinstance(called, ast.Name):
        return called.id == "Dropout"
    if not isinstance(called, ast.Attribute):
        return False
    own = isinstance(called.value, ast.Name) and called.value.id == "self"
    return called.attr == "Dropout" or (called.attr == "dropout" and not own)


def _argument(init: ast.FunctionDef) -> ast.expr | None:
    names = init.args.args[len(init.args.args) - len(init.args.defaults) :]
    pairs = [*zip(names, init.args.defaults, strict=True)]
    pairs += [
        (name, default)
        for name, default in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True)
        if default is not None
    ]
    rates = (v for name, v in pairs if "drop" in name.arg or name.arg in {"p", "rate"})
    return next(rates, None)


def _rate(call: ast.Call) -> ast.expr | None:
    named = [one.value for one in call.keywords if one.arg == "p"]
    if named:
        return named[0]
    # The function takes its input first; both drop half where no rate is given.
    functional = isinstance(call.func, ast.Attribute) and call.func.attr == "dropout"
    rates = call.args[1:] if functional else call.args
    return rates[0] if rates else ast.Constant(0.5)


def _number(node: ast.expr | None, names: Mapping[str, ast.expr]) -> float | None:
    if isinstance(node, ast.Name):
        node = names.get(node.id)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    return None
