"""Judging small sources: one warm judge for all of them, and one in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from attn_kata.checker.candidate.worker import _Worker
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.judge import examine as direct
from attn_kata.checker.judge.main import _Sitting
from attn_kata.checker.process import claims, wire
from attn_kata.checker.process.jobs import Job
from attn_kata.checker.process.requests import request_of
from attn_kata.checker.report.report import Report
from attn_kata.sentences.wording import worded

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


@pytest.fixture
def first_faults(tmp_path, monkeypatch) -> Judge:
    """Judge one of our own sources in this process, as far as the first fault and its name.

    What is named so is named by a whole check too: that has more to explain, and tries the
    mistakes in the same order.
    """
    for name in ("path", "argv"):
        monkeypatch.setattr(sys, name, [*getattr(sys, name)])
    monkeypatch.setattr(direct.Examination, "try_grid", _to_the_first_fault)

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
