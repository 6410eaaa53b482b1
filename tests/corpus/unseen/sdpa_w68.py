import math

import torch
import torch.nn.functional as F


def _get_extended_attention_mask(attention_mask):
    """Make a mask broadcastable over heads and queries, as in modeling_utils.py."""
    if attention_mask.dim() == 4:
        return attention_mask
    if attention_mask.dim() == 3:
        return attention_mask[:, None, :, :]
    if attention_mask.dim() == 2:
        return attention_mask[:, None, None, :]
    raise ValueError(f"Wrong shape for attention_mask (shape {attention_mask.shape})")


def eager_attention_forward(query, key, value, bias, scaling):
    attn_weights = torch.matmul(query, key.transpose(2, 3)) * scaling
    if bias is not None:
        attn_weights = attn_weights.masked_fill(bias.logical_not(), torch.finfo(query.dtype).min)
    attn_weights = F.softmax(attn_weights, dim=-1)
    return torch.matmul(attn_weights, value)


def attention(query, key, value, mask=None, causal=False):
    q_len, k_len = query.size(-2), key.size(-2)
    allowed = None
    if mask is not None:
        allowed = _get_extended_attention_mask(mask).bool()
    if causal:
        tri = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device)
        tri = tri.tril(diagonal=k_len - q_len)
        allowed = tri if allowed is None else allowed & tri
    return eager_attention_forward(query, key, value, allowed, 1.0 / math.sqrt(query.size(-1)))
