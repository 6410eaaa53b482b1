import math

import torch
from torch import nn


def build_slopes(num_heads):
    closest_power_of_2 = 2 ** math.floor(math.log2(num_heads))
    base = torch.tensor(2 ** (-(2 ** -(math.log2(closest_power_of_2) - 3))), dtype=torch.float32)
    powers = torch.arange(1, 1 + closest_power_of_2, dtype=torch.int32)
    slopes = torch.pow(base, powers)
    if closest_power_of_2 != num_heads:
        extra_base = torch.tensor(
            2 ** (-(2 ** -(math.log2(2 * closest_power_of_2) - 3))), dtype=torch.float32
        )
        num_remaining_heads = min(closest_power_of_2, num_heads - closest_power_of_2)
        extra_powers = torch.arange(1, 1 + 2 * num_remaining_heads, 2, dtype=torch.int32)
        slopes = torch.cat([slopes, torch.pow(extra_base, extra_powers)], dim=0)
    return slopes


slopes = build_slopes


def build_alibi(num_heads, query_length, key_length):
    relative = torch.arange(1 - key_length, 1).view(1, 1, -1)  # for the last query
    shift = torch.arange(query_length - 1, -1, -1).view(1, -1, 1)
    distance = relative + shift
    alibi = distance * build_slopes(num_heads).view(-1, 1, 1)
    return alibi.masked_fill(distance > 0, float("-inf"))


def attention(query, key, value):
    attn_weights = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(query.size(-1))
    attn_weights = attn_weights + build_alibi(query.size(1), query.size(2), key.size(2)).to(
        attn_weights
    )
    attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query.dtype)
    return torch.matmul(attn_weights, value)
