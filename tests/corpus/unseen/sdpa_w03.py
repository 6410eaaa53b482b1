import math
import torch


def attention(query, key, value, mask=None, causal=False):
    """softmax(QK^T / sqrt(d)) V"""
    d = query.shape[-1]
    att = query @ key.transpose(-2, -1)
    att = att * (1.0 / math.sqrt(d))

    if causal:
        T, S = att.shape[-2], att.shape[-1]
        past = key.shape[2] - query.shape[1]
        rows = torch.arange(T, device=att.device)[:, None] + past
        cols = torch.arange(S, device=att.device)[None, :]
        att = att.masked_fill(cols > rows, float('-inf'))

    if mask is not None:
        att = att.masked_fill(mask == 0, float('-inf'))

    att = att.softmax(-1)
    return att @ value
