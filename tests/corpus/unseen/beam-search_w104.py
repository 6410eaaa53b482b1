from __future__ import annotations

import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    scores, tokens = logits.log_softmax(dim=-1).topk(beams, dim=-1)
    return scores, tokens, keys.repeat_interleave(beams, dim=0), values.repeat_interleave(beams, dim=0)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    log_probs = logits.log_softmax(dim=-1).view(batch, beams, vocab)

    only_eos = torch.full_like(log_probs, float("-inf"))
    only_eos[..., eos] = 0.0
    log_probs = torch.where(finished[..., None], only_eos, log_probs)

    candidates = (scores[..., None] + log_probs).view(batch, beams * vocab)
    new_scores, flat = candidates.topk(beams, dim=-1)
    parents, tokens = flat // vocab, flat % vocab

    new_finished = finished.gather(1, parents) | (tokens == eos)
    first_rows = torch.arange(batch, device=scores.device) * beams
    rows = (parents + first_rows).flatten()
    return new_scores, tokens, parents, new_finished, keys[rows], values[rows]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    at = torch.arange(beams, device=tokens.device).expand(batch, beams)
    out = []
    for step in reversed(range(steps)):
        out.append(tokens[step].gather(1, at))
        if step:
            at = parents[step].long().gather(1, at)
    return torch.stack(out[::-1], dim=-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best, index = penalized.max(dim=-1)
    return sequences[torch.arange(len(sequences), device=index.device), index], best
