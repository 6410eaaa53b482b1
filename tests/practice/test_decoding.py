"""The decoding experiment: what a mask keeps still, and what moves without it."""

from __future__ import annotations

import subprocess

import pytest
from attn_kata.kata.catalogue import find
from attn_kata.practice import decoding
from attn_kata.practice.errors import Refusal
from attn_kata.reference.decoding import grow


@pytest.fixture(scope="module")
def stages() -> list[decoding.Stage]:
    """One experiment."""
    return decoding.experiment(find("causal"))


@pytest.mark.costly
def test_only_the_mask_keeps_rows_still(stages: list[decoding.Stage]) -> None:
    """Every old row is still with the mask, and none without."""
    assert [len(stage.masked) for stage in stages] == list(range(1, decoding.LENGTH + 1))
    for stage in stages:
        *old, new = stage.masked
        assert new.moved is None
        assert not any(row.changed for row in old)
        *old, new = stage.opened
        assert new.moved is None
        assert all(row.changed for row in old)


def test_two_decimals_show_it(stages: list[decoding.Stage]) -> None:
    """No row moves by less than what is shown."""
    moved = [row.moved or 0 for stage in stages for row in stage.opened[:-1]]
    assert min(moved) > 0.005


def test_the_last_row_has_seen_all_either_way(stages: list[decoding.Stage]) -> None:
    """The newest token sees everything, mask or none."""
    for stage in stages:
        assert stage.masked[-1].values == pytest.approx(stage.opened[-1].values)


def test_the_same_seed_gives_the_same_rows() -> None:
    """An experiment can be repeated."""
    assert grow(3, 5) == grow(3, 5)
    assert grow(3, 5) != grow(3, 6)


def test_a_kata_without_a_built_in_mask_is_refused() -> None:
    """And the one that has one is named."""
    for name in ("v1", "sdpa"):
        with pytest.raises(Refusal) as refused:
            decoding.experiment(find(name))
        assert "show causal --live" in refused.value.commands


def test_a_torch_that_does_not_start_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line of what it said is the reason."""

    def broken(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "Traceback …\nImportError: no torch\n")

    monkeypatch.setattr(decoding.subprocess, "run", broken)
    with pytest.raises(Refusal) as refused:
        decoding.experiment(find("causal"))
    assert refused.value.values["reason"] == "ImportError: no torch"
