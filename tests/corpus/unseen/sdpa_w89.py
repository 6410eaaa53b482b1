import torch
import torch.nn.functional as F
from typing import Optional


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
              mask: Optional[torch.Tensor] = None, causal: bool = False) -> torch.Tensor:
    L, S = query.size(-2), key.size(-2)
    scale_factor = query.size(-1) ** -0.5
    attn_bias = torch.zeros(L, S, dtype=query.dtype, device=query.device)
    if causal:
        temp_mask = torch.ones(L, S, dtype=torch.bool, device=query.device).tril(diagonal=0)
        attn_bias = attn_bias.masked_fill(temp_mask.logical_not(), float("-inf"))
    if mask is not None:
        attn_bias = torch.where(mask == 0, float("-inf"), attn_bias)
    attn_weight = query @ key.transpose(-2, -1) * scale_factor
    attn_weight = attn_weight + attn_bias
    attn_weight = torch.softmax(attn_weight, dim=-1)
    return attn_weight @ value
