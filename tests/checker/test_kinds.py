"""An argument is never fed what is plainly of another kind, and a report says what was called."""

from __future__ import annotations

from typing import Any

import pytest
from attn_kata.checker.client import Options
from attn_kata.checker.judge.find import found, unasked, ways
from attn_kata.checker.process.answers import Entry, Parameter
from attn_kata.checker.vocabulary import foreign
from attn_kata.kata.catalogue import find
from attn_kata.sentences.wording import worded


def entry(*arguments: tuple[str, Any, str], name: str = "mine") -> Entry:
    """What is known of a function. arguments: names, defaults (... for none), annotations."""
    return Entry(
        name=name,
        line=3,
        arguments=[
            Parameter(
                name=own,
                kind="POSITIONAL_OR_KEYWORD",
                has_default=default is not ...,
                default="<class 'type'>" if default is ... else default,
                annotation=said,
            )
            for own, default, said in arguments
        ],
    )


def plain(*names: str) -> list[tuple[str, Any, str]]:
    """Arguments without default or annotation."""
    return [(name, ..., "") for name in names]


@pytest.mark.parametrize(
    ("kata", "own", "asked"),
    [
        ("flash", ("cols", 16, ""), "causal"),
        ("flash", ("tile", ..., "int"), "causal"),
        ("backward", ("amount", 1e-6, ""), "causal"),
        ("gqa", ("past_kv", None, ""), "attention_mask"),
        ("mla", ("in_order", True, ""), "cache"),
        ("gqa", ("scaled", True, ""), "attention_mask"),
        ("window", ("place", None, "bool"), "window"),
        ("alibi", ("device", None, ""), "key_length"),
        ("flash", ("out_dtype", None, ""), "block_size"),
    ],
)
def test_another_kind_is_not_fed(kata: str, own: tuple[str, Any, str], asked: str) -> None:
    """A switch is no tile's width, a cache no switch, and a length no device."""
    function = next(
        one for one in find(kata).asked.functions if asked in [a.name for a in one.arguments]
    )
    others = plain(*(a.name for a in function.arguments if a.name != asked))
    for bound in ways(function, entry(*others, own)):
        assert own[0] not in {*bound.named.values(), *bound.placed}, bound


def test_a_synonym_of_another_argument_is_not_taken_by_place() -> None:
    """A gradient called dO does not become the switch since a P stands before it."""
    (function,) = find("backward").asked.functions
    mine = entry(*plain("Q", "K", "V", "P", "dO"), ("is_causal", True, ""))
    assert not list(ways(function, mine))
    assert unasked(function, mine) == ["P"]


def test_input_is_given_three_times() -> None:
    """A class of self-attention that asks for queries, keys and values gets its input as each."""
    (function,) = find("mqa").asked.functions
    bound = next(ways(function, entry(*plain("keys", "values", "queries"), ("mask", None, ""))))
    assert {*bound.named.values(), *bound.fed} == {"keys", "values", "queries", "mask"}
    assert not list(ways(function, entry(*plain("queries", "keys", "memory"))))


def test_a_helper_for_masks_is_not_the_function() -> None:
    """A lone function with no room for tensors is not taken for attention; one with room is."""
    functions = find("window").asked.functions
    sizes = entry(("rows", ..., "int"), ("window_size", ..., "int"), ("device", "cpu", ""))
    assert not found(functions, [sizes], None)
    assert found(functions, [entry(*plain("a", "b", "c", "d"))], None)


def test_positions_are_no_inputs() -> None:
    """What holds positions keeps its default, whatever it is to be added to."""
    for name in ("query_pos", "key_pos_emb", "target_positional_encoding", "pos_embed"):
        assert foreign(name) == "table", name
    assert foreign("encoder_states") is None


HALF = """\
import torch
from torch import nn

class Quarter(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.qkv = nn.Linear(size, 3 * (size // 4))
        self.o = nn.Linear(size // 4, size)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.o((q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v)
"""
CALLED = """\
import torch
def attention(value, query, mask=None, key=None, causal=False):
    return torch.cat([query, key]) + 1
"""
SWITCH = """\
import torch
from torch import nn

class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.qkv, self.o = nn.Linear(hidden_dim, 3 * hidden_dim), nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, past=None, keep_kv=False):
        n, t, w = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = torch.cat([past[0], k], -2), torch.cat([past[1], v], -2)
        seen = torch.ones(t, k.shape[-2], dtype=torch.bool, device=x.device).tril(k.shape[-2] - t)
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~seen, -torch.inf)
        out = self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, w))
        return CACHE
"""


@pytest.fixture
def judge(bench, tmp_path):
    """Judge a source under a kata."""

    def judged(source: str, kata: str):
        path = tmp_path / "mine.py"
        path.write_text(source)
        return worded(next(bench.judge(kata, [path], Options(seed=3))), "en")

    return judged


def test_a_width_that_vanishes_is_judged(judge) -> None:
    """A layer that is empty at the smallest sizes is wrong, and no failure of the judge."""
    report = judge(HALF, "v2")
    assert report.verdict == "fail"
    assert report.error is None


def test_a_call_is_told_in_its_own_order(judge) -> None:
    """The call that raised is written with its parameters as the submission declares them."""
    report = judge(CALLED, "sdpa")
    assert report.error is not None
    assert "attention(value, query, key, causal)" in report.error.message


@pytest.mark.parametrize(
    ("cache", "turned"), [("out, (k, v)", False), ("(out, (k, v)) if keep_kv else out", True)]
)
def test_a_switch_is_turned_on_where_it_has_to_be(judge, cache: str, turned: bool) -> None:
    """A switch without which the cache comes back too stays off, and nothing is said of it."""
    report = judge(SWITCH.replace("CACHE", cache), "kvcache")
    assert report.verdict == "pass", report
    assert any(one.id == "switch-off" for one in report.remarks) is turned


UNTOLD = """\
import torch
from torch import nn

class MLA(nn.Module):
    def __init__(self, hidden_dim, num_heads, latent_dim):
        super().__init__()
        self.heads = num_heads
        self.size = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.down = nn.Linear(hidden_dim, latent_dim)
        self.up = nn.Linear(latent_dim, 2 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        n, t, w = x.shape
        q = self.q(x).view(n, t, self.heads, self.size).transpose(1, 2)
        k, v = self.up(self.down(x)).view(n, t, 2, self.heads, self.size).permute(2, 0, 3, 1, 4)
        return self.o((q @ k.mT).softmax(-1) @ v), cache
"""


def test_sizes_that_a_constructor_does_not_take_are_told(judge) -> None:
    """Where a call raises, what the kata sets and the constructor leaves out is the help."""
    report = judge(UNTOLD, "mla")
    assert report.error is not None
    assert "`head_dim`, `rope_dim`: give it these arguments" in report.error.help
    told = UNTOLD.replace("num_heads, latent_dim", "num_heads, head_dim, rope_dim, latent_dim")
    report = judge(told.replace("(x).view(n, t, self.heads", "(x).view(n, t, -9"), "mla")
    assert report.error is not None
    assert "give it these arguments" not in report.error.help
