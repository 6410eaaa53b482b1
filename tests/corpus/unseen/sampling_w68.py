from __future__ import annotations

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    if penalty == 1.0:
        return logits
    picked = logits.gather(-1, tokens)
    return logits.scatter(-1, tokens, torch.where(picked > 0, picked / penalty, picked * penalty))


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    values, ids = logits.topk(k, dim=-1, sorted=False)
    return torch.full_like(logits, -torch.inf).scatter_(-1, ids, values)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    # drop whatever comes after p has been reached, never the first
    z, ids = logits.sort(dim=-1, descending=True)
    q = z.softmax(-1)
    drop = q.cumsum(-1).sub(q) >= p
    drop[..., 0] = False
    return torch.empty_like(logits).scatter_(-1, ids, z.masked_fill(drop, -torch.inf))


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(-1)
    return logits.masked_fill(probs < p * probs.amax(-1, keepdim=True), -torch.inf)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    x = penalize(logits, tokens, penalty)
    x.div_(temperature)
    if top_k:
        x = keep_top_k(x, top_k)
    if top_p < 1.0:
        x = keep_top_p(x, top_p)
    if min_p > 0.0:
        x = keep_min_p(x, min_p)
    return x.softmax(-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    return torch.searchsorted(probs.cumsum(-1), uniform.unsqueeze(-1), right=True).squeeze(-1).clamp(
        max=probs.size(-1) - 1
    )
