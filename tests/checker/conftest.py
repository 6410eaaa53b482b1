"""Judging small sources: one warm judge for all of them, and one in this process."""

from __future__ import annotations

import dataclasses
import linecache
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from attn_kata.checker.candidate import operands
from attn_kata.checker.candidate.loading import describe_exception
from attn_kata.checker.candidate.worker import _Worker
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.diagnose.crashes import because
from attn_kata.checker.judge import examine as direct
from attn_kata.checker.judge import functions
from attn_kata.checker.judge.main import _Sitting
from attn_kata.checker.judge.source import read
from attn_kata.checker.process import claims, wire
from attn_kata.checker.process.answers import Raised
from attn_kata.checker.process.forms import decode
from attn_kata.checker.process.jobs import Job
from attn_kata.checker.process.requests import request_of
from attn_kata.checker.report.message import Message
from attn_kata.checker.report.report import Report
from attn_kata.sentences.wording import sentence, worded

Judge = Callable[..., Report]


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    """A warm judge."""
    with Bench() as bench:
        yield bench


@pytest.fixture
def judged(bench: Bench, tmp_path: Path) -> Judge:
    """Judge a source text (or bytes) under a kata; keywords are options."""

    def run(
        kata: str,
        source: str | bytes,
        name: str = "mine.py",
        language: str = "en",
        **options: object,
    ) -> Report:
        path = tmp_path / name
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        chosen = Options(seed=1, **options)  # type: ignore[arg-type]
        return worded(next(bench.judge(kata, [path], chosen)), language)

    return run


class _Inside:
    """A candidate without a process of its own, for what need not be fenced in."""

    def __init__(self):
        self.worker = _Worker(cast("Any", SimpleNamespace(path="", arm=lambda: None)))

    def serve(self, path):
        self.path = path

    def ask_each(self, requests):
        return map(self.ask, requests)

    def ask(self, request):
        answer = self.worker.answer(request_of(wire.unpack(*wire.pack(request))))
        return claims.understood(request, wire.unpack(*wire.pack(answer)))

    def close(self):
        return ""


class _Unproved:
    def alone(self, one):
        return False

    def finish(self):
        pass


@pytest.fixture
def first_faults(tmp_path, monkeypatch) -> Judge:
    """Judge one of our own sources in this process, as far as the first fault and its name.

    What is named so is named by a whole check too: that has more to explain, and tries the
    mistakes in the same order.
    """
    for name in ("path", "argv"):
        monkeypatch.setattr(sys, name, [*getattr(sys, name)])
    monkeypatch.setattr(direct.Examination, "try_grid", _to_the_first_fault)
    # Edits are tried in a process of their own.
    monkeypatch.setattr(functions, "Proving", lambda *_: _Unproved())
    monkeypatch.setattr(functions, "mend", lambda *_: None)

    def run(kata: str, source: str) -> Report:
        path = tmp_path / "mine.py"
        path.write_text(source)
        options = Options(seed=5, timeout=60.0, device="cpu")
        job = Job(kata=kata, file=str(path), options=options)
        report = _Sitting(job, cast("Any", _Inside())).report()
        # Else all that asks for a first fault would ask for a whole check after it.
        told = report.error.message if report.error is not None else ""
        assert isinstance(told, str) or told.key != "judge-fault", told
        return report

    return run


def _to_the_first_fault(examination):
    examination.tried = []
    for batch in examination.batches():
        examination.judge(batch)
        examination.tried += batch
        if examination.found.findings:
            return


HEAD = """import math
import torch
import torch.nn.functional as F
from torch import nn

x = torch.rand(2, 5, 6)
heads = torch.rand(2, 3, 5, 4)
mask = torch.ones(2, 5)
seen = torch.ones(2, 5).bool()


def call():
"""
# The line of a body's first statement.
FIRST = HEAD.count("\n") + 1


def _keys(value: Any) -> Iterator[str]:
    """The keys of all sentences in a sentence, or in a report."""
    if isinstance(value, Message):
        yield value.key
        yield from _keys(value.values)
    elif isinstance(value, (list, tuple, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _keys(one)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _keys(getattr(value, field.name))


@pytest.fixture(scope="session")
def keys() -> Callable[[Any], frozenset[str]]:
    """The keys of all sentences in a report."""
    return lambda value: frozenset(_keys(value))


class Refusal(dict[str, str]):
    """What is said of what a statement raises, by language. keys_said: of the sentences in it."""

    keys_said: frozenset[str] = frozenset()

    def ends(self, words: str) -> bool:
        """Whether it ends so in English, and is said in both languages or in neither.

        {first} and {second} stand for the first lines of the statements.
        """
        words = words.replace("{first}", str(FIRST)).replace("{second}", str(FIRST + 1))
        return self["en"].endswith(words) and bool(words) is bool(self["en"]) is bool(self["zh"])


@pytest.fixture
def refusal(tmp_path: Path) -> Callable[[str], Refusal]:
    """What is said of what some statements raise. No judge is asked."""

    def run(body: str, *, raises: bool = True) -> Refusal:
        path = tmp_path / "mine.py"
        path.write_text(HEAD + "".join(f"    {row}\n" for row in body.split("\n")))
        operands._trees.pop(str(path), None)
        linecache.checkcache(str(path))
        held: dict[str, Any] = {"__name__": "submission"}
        exec(compile(path.read_text(), str(path), "exec"), held)
        caught: Exception | None = None
        try:
            held["call"]()
        except Exception as raised:  # noqa: BLE001 - whatever torch raises
            caught = raised
        if caught is None:
            assert not raises
            return Refusal(en="", zh="")
        fault = decode(Raised, describe_exception(caught, str(path)))
        said = because(fault, read(path))
        told = Refusal({language: sentence(said, language) for language in ("en", "zh")})
        told.keys_said = frozenset(_keys(said))
        return told

    return run
