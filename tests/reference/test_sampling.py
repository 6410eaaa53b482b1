"""The sampler, held against loops over rows that take each rule at its word."""

from __future__ import annotations

import math

import pytest
import torch
from attn_kata.reference.sampling import (
    draw,
    keep_min_p,
    keep_top_k,
    keep_top_p,
    next_token_probs,
    penalize,
)

LOGITS = torch.randn(4, 12, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * 2
TOKENS = torch.tensor([[0, 3, 3], [1, 1, 1], [5, 4, 11], [7, 2, 0]])


def kept(logits):
    """The tokens of each row that are left."""
    return [row.isfinite().nonzero().flatten().tolist() for row in logits]


def by_rank(row):
    """A row's tokens, the likeliest first."""
    return sorted(range(len(row)), key=row.__getitem__, reverse=True)


def test_penalty():
    """Each seen token goes down, once; 1 changes nothing."""
    made = penalize(LOGITS, TOKENS, 1.5)
    for row, history, out in zip(LOGITS.tolist(), TOKENS.tolist(), made.tolist(), strict=True):
        for token, logit in enumerate(row):
            lowered = logit / 1.5 if logit > 0 else logit * 1.5
            assert out[token] == pytest.approx(lowered if token in history else logit)
    assert torch.equal(penalize(LOGITS, TOKENS, 1.0), LOGITS)


@pytest.mark.parametrize("k", [1, 3, 12])
def test_top_k(k):
    """The k largest are left, as they were."""
    made = keep_top_k(LOGITS, k)
    assert kept(made) == [sorted(by_rank(row)[:k]) for row in LOGITS.tolist()]
    assert torch.equal(made[made.isfinite()], LOGITS[made.isfinite()])


@pytest.mark.parametrize("p", [0.05, 0.5, 0.9, 1.0])
def test_top_p(p):
    """Token by token until the sum is at least p."""
    wanted = []
    for row in LOGITS.softmax(-1).tolist():
        ranks = by_rank(row)
        count = next(n for n in range(1, 13) if sum(row[t] for t in ranks[:n]) >= p - 1e-12)
        wanted.append(sorted(ranks[:count]))
    assert kept(keep_top_p(LOGITS, p)) == wanted


def test_min_p():
    """In logits the bar lies log p below the largest."""
    wanted = LOGITS.amax(-1, keepdim=True) + math.log(0.2) <= LOGITS
    assert torch.equal(keep_min_p(LOGITS, 0.2).isfinite(), wanted)


def test_all_in_order():
    """What is left of one filter is what the next one sees, and rows add up to 1."""
    made = next_token_probs(LOGITS, TOKENS, 0.7, 6, 0.8, 0.1, 1.3)
    logits = keep_top_p(keep_top_k(penalize(LOGITS, TOKENS, 1.3) / 0.7, 6), 0.8)
    assert torch.equal(made > 0, keep_min_p(logits, 0.1).isfinite())
    torch.testing.assert_close(made.sum(-1), torch.ones(4, dtype=torch.float64))
    torch.testing.assert_close(next_token_probs(LOGITS, TOKENS), LOGITS.softmax(-1))


def test_draw():
    """Numbers spread evenly give each token as often as its probability says."""
    probs = LOGITS[0].softmax(-1)
    grid = (torch.arange(10_000, dtype=torch.float64) + 0.5) / 10_000
    drawn = draw(probs.expand(10_000, -1), grid)
    shares = torch.bincount(drawn, minlength=12) / 10_000
    torch.testing.assert_close(shares.double(), probs, rtol=0, atol=2e-4)
