import torch
from torch import nn


def make_causal_mask(q_len, k_len, device):
    rows = torch.arange(q_len, device=device).view(-1, 1) + (k_len - q_len)
    cols = torch.arange(k_len, device=device).view(1, -1)
    return cols <= rows


def attention(query, key, value, mask=None, causal=False):
    d = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) * (d ** -0.5)
    min_value = torch.finfo(scores.dtype).min

    if mask is not None:
        scores = scores.masked_fill(mask == 0, min_value)
    if causal:
        causal_mask = make_causal_mask(query.size(-2), key.size(-2), query.device)
        scores = scores.masked_fill(~causal_mask, min_value)

    p_attn = nn.functional.softmax(scores, dim=1)
    return torch.matmul(p_attn, value)
