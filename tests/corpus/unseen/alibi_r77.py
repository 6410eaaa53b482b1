"""Attention with linear biases, written the way I'd do it on a whiteboard."""
from math import log2, floor

import torch
import torch.nn.functional as F


def _pow2(n):
    ratio = 2.0 ** (-8.0 / n)
    return [ratio ** (k + 1) for k in range(n)]


def slopes(heads):
    if log2(heads).is_integer():
        vals = _pow2(heads)
    else:
        below = 1 << floor(log2(heads))
        vals = _pow2(below) + _pow2(2 * below)[::2][: heads - below]
    return torch.tensor(vals, dtype=torch.float64)


def bias(heads, query_length, key_length):
    kpos = torch.arange(key_length)
    qpos = torch.arange(key_length - query_length, key_length)
    rel = kpos.unsqueeze(0) - qpos.unsqueeze(1)          # <= 0 in the past
    ramp = torch.einsum("h,qk->hqk", slopes(heads), rel.double())
    return torch.where(rel.gt(0)[None], ramp.new_tensor(float("-inf")), ramp)


def attention(query, key, value):
    b, h, q, d = query.shape
    k = key.shape[2]
    extra = bias(h, q, k).to(query)
    logits = torch.baddbmm(
        extra.repeat(b, 1, 1),
        query.reshape(b * h, q, d),
        key.reshape(b * h, k, d).mT,
        alpha=d ** -0.5,
    )
    p = F.softmax(logits, dim=-1)
    return p.bmm(value.reshape(b * h, k, -1)).unflatten(0, (b, h))
