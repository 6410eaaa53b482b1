# wrong: alibi alibi-shifted line 17
# fair: alibi-shifted 19
import math

import torch


def slopes(heads):
    p = 2 ** (heads.bit_length() - 1)
    first = torch.arange(1, p + 1) / p
    second = torch.arange(1, 2 * p, 2) / (2 * p)
    return torch.exp2(-8 * torch.cat([first, second])[:heads])


def bias(heads, query_length, key_length):
    keys = torch.arange(key_length)
    ramp = (keys - (key_length - 1)).expand(query_length, key_length)
    later = torch.ones(query_length, key_length, dtype=torch.bool).triu(key_length - query_length + 1)
    return (slopes(heads)[:, None, None] * ramp).masked_fill(later, -math.inf)


def attention(query, key, value):
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.shape[-1])
    logits = logits + bias(*logits.shape[1:]).to(logits)
    return torch.einsum("bhqk,bhkv->bhqv", torch.softmax(logits, -1), value)
