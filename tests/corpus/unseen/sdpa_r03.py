"""Plain scaled dot-product attention, einsum flavour."""
from typing import Optional

import torch


def _visible(q_len: int, k_len: int, device) -> torch.Tensor:
    # absolute position of every query, as if it were the tail of the key sequence
    q_pos = torch.arange(k_len - q_len, k_len, device=device).view(q_len, 1)
    k_pos = torch.arange(k_len, device=device).view(1, k_len)
    return q_pos.ge(k_pos)


def attention(query, key, value, mask: Optional[torch.Tensor] = None, causal: bool = False):
    depth = query.size(-1)
    logits = torch.einsum("nhid,nhjd->nhij", query * depth ** -0.5, key)

    allow = None
    if mask is not None:
        allow = mask.to(torch.bool)
    if causal:
        tri = _visible(query.size(-2), key.size(-2), query.device)
        allow = tri if allow is None else torch.logical_and(allow, tri)

    if allow is not None:
        logits = torch.where(allow, logits, torch.finfo(logits.dtype).min)

    probs = torch.softmax(logits, dim=3)
    return torch.einsum("nhij,nhjv->nhiv", probs, value)
