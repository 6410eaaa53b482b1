# wrong: beam-search beam-normalised-over-kept line 11
from __future__ import annotations

import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    # softmax keeps the order, so the largest logits are the likeliest tokens
    top, tokens = logits.topk(beams, dim=-1)
    scores = top.log_softmax(dim=-1)
    keys, values = (c.repeat_interleave(beams, dim=0) for c in (keys, values))
    return scores, tokens, keys, values


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    vocab = logits.size(-1)
    step = logits.log_softmax(dim=-1).unflatten(0, (batch, beams))
    token_ids = torch.arange(vocab, device=logits.device)
    step = step.masked_fill(finished[..., None], 0.0)
    step = step.masked_fill(finished[..., None] & (token_ids != eos), float("-inf"))
    total = (scores[..., None] + step).flatten(1)
    scores, places = total.topk(beams, dim=-1)
    parents = places.div(vocab, rounding_mode="floor")
    tokens = places - parents * vocab
    done = torch.take_along_dim(finished, parents, dim=1) | tokens.eq(eos)

    def follow(cache: Tensor) -> Tensor:
        per_sample = cache.unflatten(0, (batch, beams))
        return torch.take_along_dim(per_sample, parents[:, :, None, None, None], dim=1).flatten(0, 1)

    return scores, tokens, parents, done, follow(keys), follow(values)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    out = torch.empty(batch, beams, steps, dtype=torch.long, device=tokens.device)
    where = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    for s in range(steps)[::-1]:
        out[..., s] = tokens[s].gather(1, where)
        if s:
            where = parents[s].long().gather(1, where)
    return out


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / ((5 + lengths.to(scores)) / 6).pow(alpha)
    score, index = penalized.max(dim=-1)
    index = index[:, None, None].expand(-1, 1, sequences.size(-1))
    return sequences.gather(1, index).squeeze(1), score
