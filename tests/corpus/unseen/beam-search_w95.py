from __future__ import annotations

import torch
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    return logits - logits.logsumexp(-1, keepdim=True)


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    scores, tokens = _log_probs(logits).topk(beams, dim=-1)
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    b, k = scores.shape
    v = logits.shape[-1]
    lp = _log_probs(logits).view(b, k, v)
    is_eos = torch.arange(v, device=logits.device) == eos
    lp = lp.masked_fill(finished.unsqueeze(-1) & ~is_eos, float("-inf"))
    best, flat = (scores.unsqueeze(-1) + lp).view(b, k * v).topk(k, dim=-1)
    parents, tokens = flat // v, flat % v
    done = finished.gather(1, parents) | (tokens == eos)
    row = (parents + k * torch.arange(b, device=parents.device)[:, None]).flatten()
    return best, tokens, parents, done, keys[row], values[row]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, b, k = tokens.shape
    at = torch.arange(k, device=tokens.device).expand(b, k)
    out = []
    for t in reversed(range(steps)):
        out.insert(0, tokens[t].gather(1, at))
        at = parents[t].long().gather(1, at) if t else at
    return torch.stack(out, -1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    norm = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best, i = norm.max(dim=1)
    return sequences[torch.arange(len(i), device=i.device), i], best
