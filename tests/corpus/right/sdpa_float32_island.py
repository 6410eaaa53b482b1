# right: sdpa
import torch
from torch import nn


def attention(query, key, value, mask=None, causal=False):
    # upcast the softmax the way llama does
    attn_weights = torch.matmul(query, key.transpose(2, 3)) / torch.sqrt(torch.tensor(query.shape[-1]))
    if causal:
        L, S = query.size(-2), key.size(-2)
        temp_mask = torch.ones(L, S, dtype=torch.bool, device=query.device).tril(diagonal=S - L)
        mask = temp_mask if mask is None else torch.logical_and(mask.to(torch.bool), temp_mask)
    if mask is not None:
        attn_weights = attn_weights.masked_fill(mask == 0, torch.finfo(attn_weights.dtype).min)
    attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query.dtype)
    return torch.matmul(attn_weights, value)
