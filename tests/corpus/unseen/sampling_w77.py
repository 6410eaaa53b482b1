from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = F.one_hot(tokens.long(), logits.size(-1)).any(dim=1)
    return torch.where(seen, logits / penalty, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    values, indices = logits.topk(k, dim=-1)
    return torch.full_like(logits, -torch.inf).scatter(-1, indices, values)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    ordered, indices = logits.sort(dim=-1, descending=True)
    probs = F.softmax(ordered, dim=-1)
    exclusive = probs.cumsum(dim=-1) - probs
    ordered = ordered.masked_fill(exclusive >= p, -torch.inf)
    return torch.empty_like(logits).scatter_(-1, indices, ordered)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = F.softmax(logits, dim=-1)
    threshold = probs.amax(dim=-1, keepdim=True) * p
    return torch.where(probs >= threshold, logits, -torch.inf)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    x = penalize(logits, tokens, penalty) / temperature
    x = keep_top_k(x, top_k) if top_k else x
    x = keep_top_p(x, top_p) if top_p < 1 else x
    x = keep_min_p(x, min_p)
    return F.softmax(x, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    cumulative = probs.cumsum(dim=-1)
    index = torch.searchsorted(cumulative, uniform[:, None].contiguous(), right=True)
    return index.squeeze(1).clamp_max(probs.size(-1) - 1)
