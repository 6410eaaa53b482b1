# ofirpress/attention_with_linear_biases get_slopes, then the bias by index arithmetic
import math

import torch


def slopes(heads):
    def get_slopes_power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        ratio = start
        return [start * ratio**i for i in range(n)]

    def get_slopes(n):
        if math.log2(n).is_integer():
            return get_slopes_power_of_2(n)
        closest = 2 ** math.floor(math.log2(n))
        return get_slopes_power_of_2(closest) + get_slopes(2 * closest)[0::2][: n - closest]

    return torch.tensor(get_slopes(heads), dtype=torch.float64)


def bias(heads, query_length, key_length):
    own = torch.arange(key_length - query_length, key_length)
    ahead = torch.arange(key_length).view(1, -1) - own.view(-1, 1)          # key - query
    alibi = ahead.to(torch.float64) * slopes(heads).view(heads, 1, 1)
    alibi[:, ahead > 0] = float("-inf")
    return alibi


def attention(query, key, value):
    n, m = query.shape[2], key.shape[2]
    # the bias of a long row does not fit bfloat16: scores are added up in float32 or wider
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = query.to(wide) @ key.to(wide).transpose(2, 3) / math.sqrt(query.shape[3])
    scores = scores + bias(query.shape[1], n, m).to(device=scores.device, dtype=wide)
    return scores.softmax(-1).to(value.dtype) @ value
