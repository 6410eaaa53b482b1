# right: alibi
import torch


class Slopes:
    @staticmethod
    def of(n):
        return [2 ** (-8 * i / n) for i in range(1, n + 1)]


def slopes(heads):
    for n in (1, 2, 4, 8, 16, 32, 64, 128):
        if n <= heads < 2 * n:
            return torch.tensor(Slopes.of(n) + [s for i, s in enumerate(Slopes.of(2 * n)) if i % 2 == 0][: heads - n])
    raise ValueError(heads)


def bias(heads, query_length, key_length):
    start = key_length - query_length
    table = torch.stack([(torch.arange(key_length) - (start + i)).float() for i in range(query_length)])
    table = torch.where(table > 0, torch.tensor(float("-inf")), table)
    return torch.stack([table * s for s in slopes(heads)])


def attention(query, key, value):
    # bias times √d first, then everything is divided at once
    d = query.shape[-1]
    raw = query @ key.transpose(-1, -2)
    raw = raw + bias(*raw.shape[1:]).to(raw) * d**0.5
    return torch.softmax(raw / d**0.5, dim=3) @ value
