# attn-kata: alibi
import math
import torch


def slopes(heads):
    # from memory: get_slopes of the authors
    def power_of_two(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start ** i for i in range(n)]

    if math.log2(heads).is_integer():
        s = power_of_two(heads)
    else:
        closest = 2 ** math.floor(math.log2(heads))
        s = power_of_two(closest) + power_of_two(2 * closest)[0::2][: heads - closest]
    return torch.tensor(s, dtype=torch.float32)


def bias(heads, query_length, key_length):
    k = torch.arange(key_length)
    q = torch.arange(key_length - query_length, key_length)
    gap = q.view(-1, 1) - k.view(1, -1)
    b = -slopes(heads).view(-1, 1, 1) * gap.clamp(min=0)
    return torch.where(gap < 0, torch.tensor(float("-inf")), b)


def attention(query, key, value):
    wide = torch.promote_types(query.dtype, torch.float32)
    s = (query.to(wide) @ key.to(wide).mT) / math.sqrt(query.size(-1))
    s = s + bias(query.size(1), query.size(2), key.size(2)).to(s)
    return (s.softmax(-1) @ value.to(wide)).to(value.dtype)
