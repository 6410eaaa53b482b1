# BLOOM's build_alibi_tensor, without the padding mask
import math

import torch
import torch.nn.functional as F


def slopes(heads):
    closest_power_of_2 = 2 ** math.floor(math.log2(heads))
    base = 2 ** (-(2 ** -(math.log2(closest_power_of_2) - 3)))
    powers = torch.arange(1, 1 + closest_power_of_2, dtype=torch.int32)
    out = torch.pow(torch.tensor(base, dtype=torch.float64), powers)

    if closest_power_of_2 != heads:
        extra_base = 2 ** (-(2 ** -(math.log2(2 * closest_power_of_2) - 3)))
        num_remaining_heads = min(closest_power_of_2, heads - closest_power_of_2)
        extra_powers = torch.arange(1, 1 + 2 * num_remaining_heads, 2, dtype=torch.int32)
        out = torch.cat(
            [out, torch.pow(torch.tensor(extra_base, dtype=torch.float64), extra_powers)], dim=0
        )
    return out


def bias(heads, query_length, key_length):
    # distances counted back from the newest token
    arange_tensor = torch.arange(key_length) - (key_length - 1)
    alibi = slopes(heads)[:, None, None] * arange_tensor[None, None, :]
    alibi = alibi.expand(heads, query_length, key_length)

    query_positions = torch.arange(key_length - query_length, key_length)
    future = torch.arange(key_length)[None, :] > query_positions[:, None]
    return alibi.masked_fill(future, float("-inf"))


def attention(query, key, value):
    inv_norm_factor = 1.0 / math.sqrt(query.size(-1))
    attention_scores = torch.matmul(query, key.transpose(-1, -2)) * inv_norm_factor
    alibi = bias(query.size(1), query.size(2), key.size(2))
    attention_scores = attention_scores + alibi.to(attention_scores)
    attention_probs = F.softmax(attention_scores, dim=-1)
    return torch.matmul(attention_probs, value)
