# attn-kata: sdpa
from __future__ import annotations

import torch
from torch import Tensor


def _positions(query_length: int, key_length: int, device: torch.device) -> tuple[Tensor, Tensor]:
    keys = torch.arange(key_length, device=device)
    return keys[key_length - query_length:], keys


def _allowed(query: Tensor, key: Tensor, mask: Tensor | None, causal: bool) -> Tensor:
    m, n = query.shape[-2], key.shape[-2]
    ok = torch.ones(m, n, dtype=torch.bool, device=query.device)
    if causal:
        q_pos, k_pos = _positions(m, n, query.device)
        ok = q_pos[:, None] >= k_pos[None, :]
    if mask is not None:
        ok = ok & (mask != 0)
    return ok


def _softmax(logits: Tensor, ok: Tensor) -> Tensor:
    logits = torch.where(ok, logits, torch.full_like(logits, float("-inf")))
    return torch.exp(logits - torch.logsumexp(logits, dim=-1, keepdim=True))


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    logits = torch.einsum("bhmd,bhnd->bhmn", query, key) * query.shape[-1] ** -0.5
    weights = _softmax(logits, _allowed(query, key, mask, causal))
    return torch.einsum("bhmn,bhnv->bhmv", weights, value)
