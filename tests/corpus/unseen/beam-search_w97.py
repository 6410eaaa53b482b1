from __future__ import annotations

import torch
from torch import Tensor


class _Cache:
    def __init__(self, *parts: Tensor):
        self.parts = parts

    def reorder(self, rows: Tensor) -> list[Tensor]:
        return [p.index_select(0, rows) for p in self.parts]


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    likeliest, tokens = logits.topk(beams, dim=-1)
    scores = likeliest.log_softmax(dim=-1)
    rows = torch.arange(logits.size(0), device=logits.device).repeat_interleave(beams)
    return (scores, tokens, *_Cache(keys, values).reorder(rows))


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    step = logits.log_softmax(dim=-1).reshape(batch, beams, -1).clone()
    vocab = step.size(-1)
    step[finished] = -torch.inf
    step[..., eos] = step[..., eos].masked_fill(finished, 0.0)
    total = (step + scores[:, :, None]).reshape(batch, beams * vocab)
    new_scores, flat = total.sort(dim=-1, descending=True)
    new_scores, flat = new_scores[:, :beams], flat[:, :beams]
    parents = flat // vocab
    tokens = flat - parents * vocab
    ended = torch.take_along_dim(finished, parents, 1) | (tokens == eos)
    rows = parents + torch.arange(0, batch * beams, beams, device=flat.device).unsqueeze(1)
    k, v = _Cache(keys, values).reorder(rows.reshape(-1))
    return new_scores, tokens, parents, ended, k, v


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    lines = torch.empty(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    for b in range(batch):
        for k in range(beams):
            at = k
            for s in range(steps - 1, -1, -1):
                lines[b, k, s] = tokens[s, b, at]
                at = int(parents[s, b, at]) if s > 0 else at
    return lines


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores * ((5.0 + lengths.to(scores)) / 6.0).pow(-alpha)
    value, where = penalized.max(dim=-1)
    return torch.stack([s[w] for s, w in zip(sequences, where)]), value
