# right: alibi
import torch
from functools import partial


def slopes(heads, base=None):
    n = base or 1 << (heads.bit_length() - 1)
    own = 2 ** (-8.0 / n)
    got = torch.full((min(heads, n),), own).cumprod(0)
    if heads <= n:
        return got
    return torch.cat([got, slopes(2 * n, 2 * n)[::2][: heads - n]])


def bias(heads, query_length, key_length):
    square = torch.arange(key_length).repeat(key_length, 1)
    square = square - square.T
    hidden = torch.zeros(key_length, key_length).masked_fill_(square > 0, float("-inf"))
    whole = slopes(heads).unsqueeze(-1).unsqueeze(-1) * square + hidden
    return whole[:, key_length - query_length :, :]


def _attend(norm, query, key, value):
    logits = torch.einsum("...qd,...kd->...qk", query, key).div(query.shape[-1] ** 0.5)
    extra = bias(logits.shape[1], logits.shape[2], logits.shape[3])
    return norm(logits.add(extra.to(logits))) @ value


attention = partial(_attend, partial(torch.softmax, dim=-1))
