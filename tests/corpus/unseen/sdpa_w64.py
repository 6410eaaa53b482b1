import math
from typing import Optional

import torch


def _as_bool(m: torch.Tensor, batch: int) -> torch.Tensor:
    """Bring whatever the serving layer passes to something that broadcasts to (B, H, Q, K)."""
    if m.dtype is not torch.bool:
        m = m > 0
    if m.ndim == 2 and m.shape[0] == batch:
        return m[:, None, None, :]
    if m.ndim == 3:
        return m[:, None]
    return m


def attention(query, key, value, mask: Optional[torch.Tensor] = None, causal: bool = False):
    B, H, Q, D = query.shape
    K = key.shape[2]
    bias = query.new_zeros((1, 1, Q, K))
    if mask is not None:
        bias = bias.masked_fill(_as_bool(mask, B).logical_not(), -math.inf)
    if causal:
        ahead = torch.ones(Q, K, dtype=torch.bool, device=query.device).triu_(K - Q + 1)
        bias = bias.masked_fill(ahead, -math.inf)

    scores = torch.baddbmm(
        bias.expand(B, H, Q, K).reshape(B * H, Q, K),
        query.reshape(B * H, Q, D),
        key.reshape(B * H, K, D).transpose(1, 2),
        beta=1.0,
        alpha=1.0 / math.sqrt(D),
    )
    out = torch.bmm(scores.softmax(-1), value.reshape(B * H, K, -1))
    return out.view(B, H, Q, -1)
