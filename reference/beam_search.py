"""Beam search over a KV cache: the first step, every further one, and the way back.

The length penalty is that of GNMT (Wu et al. 2016, equation 14). What a model is given has one row
for each beam of each sample, batch · beams of them: beam k of sample b is row b · beams + k.
"""

from __future__ import annotations

import torch
from torch import Tensor


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Make beams of what the prompt gave, one row for each sample: its likeliest tokens.

    logits is (batch, vocab), keys and values are (batch, heads, cache_length, head_dim). Returns
    the tokens' log-probabilities and the tokens, (batch, beams), the likeliest first, and the
    caches with a row for each beam, (batch · beams, heads, cache_length, head_dim).
    """
    first_log_probs = logits.log_softmax(dim=-1)  # (batch, vocab)
    first_scores, first_tokens = first_log_probs.topk(beams, dim=-1)
    first_keys = keys.repeat_interleave(beams, dim=0)  # (rows, heads, cache_length, head_dim)
    first_values = values.repeat_interleave(beams, dim=0)  # (rows, heads, cache_length, head_dim)
    return first_scores, first_tokens, first_keys, first_values


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Lengthen the beams of each sample by a token, and keep the best of all candidates.

    scores and finished are (batch, beams), logits (batch · beams, vocab), keys and values (batch ·
    beams, heads, cache_length, head_dim). A finished beam has one candidate, eos at no cost.
    Returns the new beams' scores, tokens, parents among the sample's beams, and whether they are
    finished, all (batch, beams), the best first; and keys and values of each beam's parent.
    """
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    log_probs = logits.log_softmax(dim=-1)  # (rows, vocab)
    by_beam = log_probs.view(batch, beams, vocab)  # (batch, beams, vocab)
    is_eos = torch.arange(vocab, device=logits.device) == eos  # (vocab,)
    # Nothing is added to a finished beam, and nothing but eos goes on with it.
    only_eos = torch.zeros_like(by_beam).masked_fill(~is_eos, float("-inf"))
    added = torch.where(finished.unsqueeze(-1), only_eos, by_beam)  # (batch, beams, vocab)
    totals = scores.unsqueeze(-1) + added  # (batch, beams, vocab)
    candidates = totals.flatten(1)
    best_scores, places = candidates.topk(beams, dim=-1)
    parents = places // vocab  # (batch, beams)
    tokens = places % vocab  # (batch, beams)
    parent_finished = finished.gather(-1, parents)  # (batch, beams)
    now_finished = parent_finished | (tokens == eos)  # (batch, beams)
    # The caches have the samples' beams one after another.
    offsets = beams * torch.arange(batch, device=scores.device).unsqueeze(-1)  # (batch, 1)
    parent_rows = (offsets + parents).flatten()  # (rows,)
    parent_keys = keys[parent_rows]  # (rows, heads, cache_length, head_dim)
    parent_values = values[parent_rows]  # (rows, heads, cache_length, head_dim)
    return best_scores, tokens, parents, now_finished, parent_keys, parent_values


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    """Follow every last beam back to its first token; returns (batch, beams, steps).

    tokens and parents are (steps, batch, beams): at each step what a beam took, and the beam of the
    step before from which it came. The first step has no step before, and its parents say nothing.
    """
    steps, batch, width = tokens.shape
    beam = torch.arange(width, device=tokens.device).expand(batch, width)  # (batch, beams)
    backwards = []
    for step in reversed(range(steps)):
        taken = tokens[step].gather(-1, beam)  # (batch, beams)
        backwards.append(taken)
        beam = parents[step].gather(-1, beam)  # (batch, beams)
    sequences = torch.stack(backwards[::-1], dim=-1)  # (batch, beams, steps)
    return sequences


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    """Return each sample's best sequence by score over length penalty, and that quotient.

    sequences is (batch, beams, steps), scores and lengths are (batch, beams). The penalty is
    ((5 + length) / 6) to the power of alpha. Returns (batch, steps) and (batch,).
    """
    penalty = ((5 + lengths) / 6) ** alpha  # (batch, beams)
    penalized = scores / penalty  # (batch, beams)
    best_penalized, winner = penalized.max(dim=-1)
    samples = torch.arange(len(winner), device=winner.device)  # (batch,)
    best = sequences[samples, winner]  # (batch, steps)
    return best, best_penalized
