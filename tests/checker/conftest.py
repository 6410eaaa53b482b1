"""Judging small sources: one warm judge for all of them, since a start costs a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.report import Report

Judge = Callable[..., Report]


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    """A warm judge."""
    with Bench() as bench:
        yield bench


@pytest.fixture
def judged(bench: Bench, tmp_path: Path) -> Judge:
    """Judge a source text (or bytes) under a kata; keywords are options."""

    def run(kata: str, source: str | bytes, name: str = "mine.py", **options: object) -> Report:
        path = tmp_path / name
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        chosen = Options(seed=1, **options)  # type: ignore[arg-type]
        return next(bench.judge(kata, [path], chosen))

    return run
