# attn-kata: sdpa
import math
import torch


def attention(query, key, value, mask=None, causal=False):
    # rewritten from the pseudo code in the pytorch docs
    L, S = query.size(-2), key.size(-2)
    scale_factor = 1 / math.sqrt(query.size(-1))
    attn_bias = torch.zeros(L, S, dtype=query.dtype, device=query.device)
    if causal:
        temp_mask = torch.ones(L, S, dtype=torch.bool, device=query.device).tril(diagonal=0)
        attn_bias = attn_bias.masked_fill(temp_mask.logical_not(), float("-inf"))
    attn_weight = query @ key.transpose(-2, -1) * scale_factor
    attn_weight = attn_weight + attn_bias
    if mask is not None:
        attn_weight = attn_weight.masked_fill(mask == 0, float("-inf"))
    attn_weight = torch.softmax(attn_weight, dim=-1)
    return attn_weight @ value
