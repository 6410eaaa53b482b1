# wrong: sdpa forbidden-call line 7
import torch
import torch.nn.functional as F


def attention(query, key, value, mask=None, causal=False):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=causal)
