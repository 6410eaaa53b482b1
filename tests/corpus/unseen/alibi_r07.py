import itertools
import torch


def _geometric(n):
    """2^(-8/n), 2^(-16/n), ... : n of them."""
    ratio = 2.0 ** (-8.0 / n)
    return list(itertools.accumulate([ratio] * n, lambda acc, r: acc * r))


def slopes(heads):
    below = 1
    while below * 2 <= heads:
        below *= 2
    values = _geometric(below)
    values += _geometric(2 * below)[::2][: heads - below]
    return torch.tensor(values, dtype=torch.float64, device="cpu").float()


def bias(heads, query_length, key_length):
    at = torch.arange(query_length, device="cpu") + (key_length - query_length)
    gap = at[:, None] - torch.arange(key_length, device="cpu")[None, :]
    penalty = gap.clamp(min=0).float().mul(-1.0) * slopes(heads).view(heads, 1, 1)
    return penalty.masked_fill(gap < 0, -float("inf"))


def attention(query, key, value):
    b, h, t, d = query.shape
    s = key.shape[2]
    logits = torch.matmul(query, key.transpose(-1, -2)).div(d ** 0.5)
    logits = logits + bias(h, t, s).to(device=logits.device, dtype=logits.dtype)
    return logits.softmax(dim=-1).matmul(value)
