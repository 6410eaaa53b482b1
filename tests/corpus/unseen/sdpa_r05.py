"""Scaled dot-product attention, functional style with einsum and an additive bias."""
from typing import Optional

import torch


def _visible(mask: Optional[torch.Tensor], causal: bool, tq: int, tk: int, device):
    """Collect everything that restricts attention in one bool tensor (or None)."""
    allowed = None
    if mask is not None:
        allowed = mask.to(torch.bool)
    if causal:
        rows = torch.arange(tk - tq, tk, device=device)
        cols = torch.arange(tk, device=device)
        tri = cols <= rows.unsqueeze(-1)
        allowed = tri if allowed is None else torch.logical_and(allowed, tri)
    return allowed


def attention(query, key, value, mask=None, causal=False):
    temperature = query.size(-1) ** -0.5
    logits = torch.einsum("nhie,nhje->nhij", query * temperature, key)
    allowed = _visible(mask, causal, query.size(-2), key.size(-2), query.device)
    if allowed is not None:
        floor = torch.finfo(logits.dtype).min
        logits = torch.where(allowed, logits, torch.full_like(logits, floor))
    probs = logits.softmax(-1)
    return torch.einsum("nhij,nhjv->nhiv", probs, value)
