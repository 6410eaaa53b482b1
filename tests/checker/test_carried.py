"""What a call hands on to the next: how much it holds, and what is said where it is too much."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import torch
from attn_kata.checker.candidate.carried import entries, watched
from attn_kata.checker.client import Options
from attn_kata.kata.catalogue import find
from attn_kata.kata.reading import BadContract, read_asked
from attn_kata.sentences.wording import worded

SOLUTION = find("mla").solution()


class Pair(NamedTuple):
    """A tuple with names."""

    left: Any
    right: Any


class _Slots:
    __slots__ = ("held", "unset")

    def __init__(self, held: Any) -> None:
        self.held = held


class _Raises:
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("not to be looked into")


class _Ends:
    def __getattribute__(self, name: str) -> Any:
        raise SystemExit


ONES = torch.ones(2, 3)
STATES = {
    "nothing": (None, 0),
    "a tensor": (ONES, 6),
    "nested": ({"a": [ONES, (torch.ones(4), "words")]}, 10),
    "the same twice": ((ONES, ONES, ONES[:]), 6),
    "a view of what is there": ((ONES, ONES[0]), 6),
    "two views of one": ((ONES[:, :1], ONES[:, 1:]), 6),
    "expanded": (torch.ones(2, 1, 3).expand(2, 8, 3), 6),
    "places that are empty": (torch.cat([ONES, torch.zeros(5, 3)]), 6),
    "whole numbers": ((torch.ones(9, dtype=torch.long), 7), 0),
    "an object": (SimpleNamespace(x=Pair(ONES, 3)), 6),
    "slots": (_Slots(ONES), 6),
    "a module": (torch.nn.Linear(2, 2, bias=False), 4),
    "what raises": (_Raises(), 0),
}


@pytest.mark.parametrize("name", STATES)
def test_entries(name: str) -> None:
    """Floats are counted wherever they lie, once for each place in memory."""
    state, wanted = STATES[name]
    assert entries(state) == wanted


def test_a_circle_ends() -> None:
    """A state that holds itself is counted once."""
    state: list[Any] = [ONES]
    state.append(state)
    assert entries(state) == 6


@pytest.fixture
def judge(bench, tmp_path):
    """Judge an edited model answer of a kata that bounds its state."""

    def judged(*edits: tuple[str, str], language: str = "en", **options: Any):
        source = SOLUTION
        for before, after in edits:
            assert source.count(before) == 1
            source = source.replace(before, after)
        path = tmp_path / "mine.py"
        path.write_text(source)
        return worded(next(bench.judge("mla", [path], Options(seed=3, **options))), language)

    return judged


RETURN = "return output, (latent, key_rope)"


@pytest.mark.parametrize(("language", "words"), [("en", "grows by"), ("zh", "每多一个位置")])
def test_too_large(judge, language: str, words: str) -> None:
    """A state that holds more than it may fails, at the return, with right numbers too."""
    more = (RETURN, "return output, (latent, key_rope, key_content)")
    read = ("past_latent, past_key_rope = cache", "past_latent, past_key_rope, _ = cache")
    report = judge(more, read, language=language)
    assert report.verdict == "fail"
    assert [one.mistake for one in report.diagnosis] == ["state-too-large"]
    assert words in report.diagnosis[0].message
    assert (report.diagnosis[0].yours or "").startswith("return output")
    assert [check.id for check in report.checks if check.status == "fail"] == ["structure"]


def test_a_buffer_with_empty_places_is_right(judge) -> None:
    """What is allocated ahead counts as it is filled."""
    ahead = (
        RETURN,
        "return output, (latent, key_rope, latent.new_zeros(batch, 16 * key_length, 99))",
    )
    read = ("past_latent, past_key_rope = cache", "past_latent, past_key_rope, _ = cache")
    assert judge(ahead, read).verdict == "pass"


def test_a_bound_speaks_of_sizes() -> None:
    """A sum with a symbol that is no size is told when the kata is read."""
    row = {
        "name": "A",
        "memory": {"carried": "Z"},
        "argument": [{"name": "x", "is": "normal", "shape": ["E"]}],
        "result": [{"name": "y", "shape": ["E"]}],
    }
    with pytest.raises(BadContract, match="speaks of Z"):
        read_asked({"sizes": {"E": [2]}, "axes": {"E": "width"}, "class": [row]})


HEADS = "self.num_heads = num_heads"
HELPER = "new_latent = self.kv_down(x)"


def test_a_helper_that_does_right_elsewhere_is_not_blamed(judge) -> None:
    """Where one call of a helper is wrong and others are right, the line is that call's."""
    report = judge((HELPER, "new_latent = rope_half_split(self.kv_down(x), positions)"))
    assert [one.mistake for one in report.diagnosis] == ["rope-on-latent"]
    assert "self.kv_down" in (report.diagnosis[0].yours or "")


@pytest.mark.costly
def test_a_layer_that_the_model_answer_has_not(judge) -> None:
    """A mistake may have a weight that the model answer has not, and is named with it."""
    made = (HEADS, f"{HEADS}\n        self.norm = nn.LayerNorm(latent_dim)")
    report = judge(made, (HELPER, "new_latent = self.norm(self.kv_down(x))"))
    assert [one.mistake for one in report.diagnosis] == ["norm-added"]


def test_an_unused_norm_earns_a_remark(judge) -> None:
    """The same layer, made and never called, is pointed at."""
    made = (HEADS, f"{HEADS}\n        self.norm = nn.LayerNorm(latent_dim)")
    report = judge(made)
    assert report.verdict == "pass"
    assert {one.id for one in report.remarks} == {"parameter-unused"}


def test_the_lowest_number_of_float64(judge) -> None:
    """A float32 mask filled with the scores' own lowest number is right, in float32."""
    fill = (
        "masked_scores = scores.masked_fill(seen == 0, lowest)",
        "masked_scores = scores + torch.full(seen.shape, lowest).triu(1 + past_length).to(scores)",
    )
    assert judge(fill).verdict == "pass"


@pytest.mark.costly
def test_two_mistakes_in_fused_layers(judge) -> None:
    """Which row belongs to which head is found where the numbers are wrong for two reasons."""
    report = judge(
        ("self.query_content_proj = nn.Linear(hidden_dim, content_dim)",
         "self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))"),
        ("        self.query_rope_proj = nn.Linear(hidden_dim, num_heads * rope_dim)\n", ""),
        ("query_content = self.query_content_proj(x).view(split).transpose(1, 2)",
         ("query_content, plain = self.q_proj(x).view(*split[:3], -1).transpose(1, 2).split("
          "[self.head_dim, self.rope_dim], dim=-1)")),
        ("self.query_rope_proj(x).view(rope_split).transpose(1, 2)", "plain"),
        ("math.sqrt(self.head_dim + self.rope_dim)", "(self.head_dim + self.rope_dim)"),
        ("square.tril(diagonal=key_length - length)", "square.triu(diagonal=key_length - length)"),
    )  # fmt: skip
    told = {one.mistake for one in report.diagnosis}
    assert told == {"scale-without-sqrt", "causal-inverted"}


# What a call may do to a state, and whether that rewrites it.
DONE = {
    "nothing": (lambda: [ONES.clone()], lambda held: held[0] + 1, False),
    "grows": (lambda: [ONES.clone()], lambda held: held.append(ONES), True),
    "writes": (lambda: [ONES.clone()], lambda held: held[0][0].zero_(), True),
    "another": (lambda: SimpleNamespace(k=-ONES), lambda held: setattr(held, "k", ONES), True),
    "a count": (lambda: SimpleNamespace(k=ONES, n=1), lambda held: setattr(held, "n", 2), False),
    "no look": (_Ends, lambda held: None, False),
    "none": (lambda: None, lambda held: None, False),
}  # fmt: skip


@pytest.mark.parametrize("done", DONE)
def test_what_rewrites_a_state(done: str) -> None:
    """Another tensor in it, or one that was written to; and the call's own answer comes with it."""
    made, change, rewritten = DONE[done]
    state = made()
    answer = watched(state, lambda: {"out": change(state) is not ONES})
    assert answer == {"out": True, "rewritten": rewritten}
