import math

import torch
import torch.nn.functional as F
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Every query beside its own keys: (batch, heads, length, head_dim, window)."""
    length, width = query.shape[-2:]
    w = min(window, length)
    wide = torch.promote_types(query.dtype, torch.float32)
    front = (0, 0, w - 1, 0)
    q = query.to(wide) / math.sqrt(width)
    k = F.pad(key.to(wide), front).unfold(2, w, 1)
    v = F.pad(value.to(wide), front).unfold(2, w, 1)

    scores = torch.einsum("bhid,bhidw->bhiw", q, k)
    at = torch.arange(length, device=query.device).unsqueeze(1)
    source = at - (w - 1) + torch.arange(w, device=query.device)
    weights = scores.masked_fill(source < 0, -math.inf).softmax(dim=-1)
    return torch.einsum("bhiw,bhidw->bhid", weights, v).to(query.dtype)
