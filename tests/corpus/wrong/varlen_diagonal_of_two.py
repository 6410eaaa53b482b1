# wrong: varlen causal-sees-next line 24
import math

import torch


def cumulative_lengths(lengths):
    return torch.cat([torch.zeros_like(lengths[:1]), torch.cumsum(lengths, 0)])


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    i = torch.arange(total, device=lengths.device).view(-1, 1)
    member = (i >= cu[:-1]) & (i < cu[1:])
    return (member.unsqueeze(1) & member.unsqueeze(0)).any(-1)


def attend(q, k, v, causal):
    q = q.transpose(0, 1)
    k = k.transpose(0, 1)
    v = v.transpose(0, 1)
    s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if causal:
        s = s.masked_fill(torch.ones_like(s).tril(1) == 0, float("-inf"))
    return (torch.softmax(s, dim=-1) @ v).transpose(0, 1)


def varlen_attention(query, key, value, lengths, causal=False):
    cu = cumulative_lengths(lengths).tolist()
    out = torch.zeros_like(query)
    for a, b in zip(cu, cu[1:]):
        out[a:b] = attend(query[a:b], key[a:b], value[a:b], causal)
    return out
