import math

import torch
from torch import Tensor


def _visible(mask, causal, n_query, n_key, device):
    """The conjunction of everything that restricts, or None."""
    parts = []
    if mask is not None:
        parts.append(mask.bool())
    if causal:
        k = torch.arange(n_key, device=device)
        parts.append(k[None, :] <= k[n_key - n_query :, None])
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else torch.logical_and(*parts)


def attention(query: Tensor, key: Tensor, value: Tensor, mask=None, causal: bool = False) -> Tensor:
    n_query, n_key = query.shape[-2], key.shape[-2]
    logits = torch.einsum("...qd,...kd->...qk", query / math.sqrt(query.shape[-1]), key)
    visible = _visible(mask, causal, n_query, n_key, logits.device)
    if visible is not None:
        logits = torch.where(visible, logits, torch.finfo(logits.dtype).min)
    unnorm = torch.exp(logits - logits.amax(dim=-1, keepdim=True))
    # normalise after the product: fewer divisions, the same numbers
    return torch.einsum("...qk,...kv->...qv", unnorm, value) / unnorm.sum(dim=-1, keepdim=True)
