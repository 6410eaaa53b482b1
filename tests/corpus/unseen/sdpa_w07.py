import math
import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor = None, causal: bool = False) -> Tensor:
    *_, L, D = query.shape
    S = key.shape[-2]
    attn_bias = torch.zeros(L, S, dtype=query.dtype, device=query.device)
    if causal:
        future = torch.ones(L, S, dtype=torch.bool, device=query.device).triu(diagonal=S - L + 1)
        attn_bias = attn_bias.masked_fill(future, float("-inf"))
    if mask is not None:
        if mask.dtype == torch.bool:
            attn_bias = torch.where(mask, attn_bias, float("-inf"))
        else:
            attn_bias = attn_bias + mask
    weight = query @ key.mT / math.sqrt(D) + attn_bias
    return torch.softmax(weight, dim=-1) @ value
