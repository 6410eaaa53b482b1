# wrong: alibi alibi-missing line 26
# fair: alibi-missing 23, 26
import math
import torch


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    a = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    return torch.tensor((a + [2 ** (-4 * i / n) for i in range(1, 2 * n, 2)])[:heads])


def bias(heads, query_length, key_length):
    d = torch.arange(key_length) - torch.arange(key_length - query_length, key_length)[:, None]
    hidden = torch.zeros(query_length, key_length)
    hidden[d > 0] = -math.inf
    return d * slopes(heads)[:, None, None] + hidden


def attention(query, key, value):
    """Causal attention."""
    q_len, k_len = query.size(-2), key.size(-2)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    later = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device)
    later = later.triu(k_len - q_len + 1)
    scores = scores.masked_fill(later, -math.inf)
    return scores.softmax(-1) @ value
