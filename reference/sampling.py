"""The sampler of a server for language models: from logits to one token for each sequence.

The repetition penalty is that of CTRL (Keskar et al. 2019), with negative logits multiplied, as
libraries have it; the nucleus is that of Holtzman et al. 2020, min-p that of Nguyen et al. 2024.
Chance is handed in, so that every step is exact.
"""

from __future__ import annotations

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    """Make the tokens of a sequence less likely, each once however often it occurs.

    logits is (batch, vocab), any float dtype; tokens is (batch, length), from 0 to vocab − 1.
    Positive logits are divided by the penalty, negative ones multiplied. Returns (batch, vocab).
    """
    seen = logits.gather(-1, tokens)  # (batch, length)
    lowered = torch.where(seen > 0, seen / penalty, seen * penalty)  # (batch, length)
    # What occurs twice is written twice, the same both times.
    penalized = logits.scatter(-1, tokens, lowered)  # (batch, vocab)
    return penalized


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    """Return the logits with −inf at all but the k largest of each row, (batch, vocab)."""
    largest = logits.topk(k, dim=-1).values
    lowest_kept = largest[:, -1:]
    below = logits < lowest_kept
    top = logits.masked_fill(below, float("-inf"))  # (batch, vocab)
    return top


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    """Return the logits with −inf outside of the nucleus, (batch, vocab).

    The nucleus of a row is the smallest set of likeliest tokens whose probabilities add up to p.
    """
    ordered, order = logits.sort(dim=-1, descending=True)
    ranked = ordered.softmax(dim=-1)  # (batch, vocab)
    cumulative = ranked.cumsum(dim=-1)  # (batch, vocab)
    # A token belongs to it where those before it do not reach p: the one that crosses p does.
    before = cumulative - ranked  # (batch, vocab)
    outside = before >= p
    outside_by_token = outside.scatter(-1, order, outside)
    nucleus = logits.masked_fill(outside_by_token, float("-inf"))  # (batch, vocab)
    return nucleus


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    """Return the logits with −inf where a token is less likely than p times the likeliest."""
    chances = logits.softmax(dim=-1)  # (batch, vocab)
    threshold = p * chances.amax(dim=-1, keepdim=True)  # (batch, 1)
    unlikely = chances < threshold
    likely = logits.masked_fill(unlikely, float("-inf"))  # (batch, vocab)
    return likely


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    """Penalty, temperature, top-k, top-p and min-p, in this order; returns (batch, vocab).

    top_k is 0 where all tokens are kept; at their defaults the others change nothing.
    """
    discouraged = penalize(logits, tokens, penalty)  # (batch, vocab)
    tempered = discouraged / temperature  # (batch, vocab)
    after_top_k = keep_top_k(tempered, top_k) if top_k else tempered  # (batch, vocab)
    after_top_p = keep_top_p(after_top_k, top_p)  # (batch, vocab)
    after_min_p = keep_min_p(after_top_p, min_p)  # (batch, vocab)
    probs = after_min_p.softmax(dim=-1)  # (batch, vocab)
    return probs


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    """Return for each row the first token at which the running sum exceeds its number, (batch,).

    probs is (batch, vocab), uniform is (batch,) and holds numbers from 0 to below 1.
    """
    reached = probs.cumsum(dim=-1)  # (batch, vocab)
    passed = reached <= uniform.unsqueeze(-1)
    # Rounded, a row may add up to less than its number.
    drawn = passed.sum(dim=-1).clamp_max(probs.shape[-1] - 1)  # (batch,)
    return drawn
