# right: sampling
"""Sampler with everything done in float32, the way serving code does it, then cast back."""
import numpy as np
import torch


def _softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.softmax(x.float(), dim=-1)


def penalize(logits: torch.Tensor, tokens: torch.Tensor, penalty: float = 1.0) -> torch.Tensor:
    if penalty == 1.0:
        return logits.clone()
    out = logits.clone()
    for i, sequence in enumerate(tokens):
        unique = torch.unique(sequence)
        score = out[i, unique]
        out[i, unique] = torch.where(score > 0, score / penalty, score * penalty)
    return out


def keep_top_k(logits: torch.Tensor, k: int) -> torch.Tensor:
    keep = torch.argsort(logits, dim=-1, descending=True)[:, :k]
    mask = torch.ones_like(logits, dtype=torch.bool)
    mask.scatter_(1, keep, False)
    return logits.masked_fill(mask, -np.inf)


def keep_top_p(logits: torch.Tensor, p: float) -> torch.Tensor:
    probs = _softmax(logits)
    sorted_probs, idx = torch.sort(probs, dim=-1, descending=True)
    exclusive = torch.cumsum(sorted_probs, dim=-1) - sorted_probs
    drop_sorted = exclusive >= p
    inverse = torch.argsort(idx, dim=-1)
    drop = torch.gather(drop_sorted, 1, inverse)
    return logits.masked_fill(drop, -np.inf)


def keep_min_p(logits: torch.Tensor, p: float) -> torch.Tensor:
    probs = _softmax(logits)
    return logits.masked_fill(probs < probs.amax(dim=-1, keepdim=True) * p, -np.inf)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    out = penalize(logits, tokens, penalty) / temperature
    if top_k:
        out = keep_top_k(out, top_k)
    if top_p < 1.0:
        out = keep_top_p(out, top_p)
    if min_p:
        out = keep_min_p(out, min_p)
    return _softmax(out).to(logits.dtype)


def draw(probs: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    cdf = torch.cumsum(probs, dim=-1)
    cdf = cdf / cdf[:, -1:]
    return torch.searchsorted(cdf, uniform.unsqueeze(-1), right=True).flatten()
