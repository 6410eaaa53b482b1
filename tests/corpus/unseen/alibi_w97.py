import math

import torch


class AlibiSlopes:
    """Slopes per head following Press et al. 2022."""

    @staticmethod
    def power_of_two(n):
        ratio = 2 ** (-8 / n)
        return [ratio ** (i + 1) for i in range(n)]

    @classmethod
    def build(cls, heads):
        nearest = 2 ** round(math.log2(heads))
        result = cls.power_of_two(nearest)[:heads]
        if len(result) < heads:
            result += cls.power_of_two(2 * nearest)[0::2][: heads - nearest]
        return result


def slopes(heads):
    return torch.tensor(AlibiSlopes.build(heads), dtype=torch.float64)


def bias(heads, query_length, key_length):
    q_pos = torch.arange(query_length)[:, None] + (key_length - query_length)
    k_pos = torch.arange(key_length)[None, :]
    distance = (q_pos - k_pos).to(torch.float64)
    out = -slopes(heads).view(heads, 1, 1) * distance
    return out.masked_fill(k_pos > q_pos, float("-inf"))


def attention(query, key, value):
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
    scores = scores + bias(query.size(1), query.size(2), key.size(2)).to(scores)
    return scores.softmax(-1) @ value
