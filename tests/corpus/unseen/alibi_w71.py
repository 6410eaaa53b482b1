import math

import numpy as np
import torch


def _get_slopes(n):
    if math.log2(n).is_integer():
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start ** i for i in range(n)]
    closest = 2 ** math.floor(math.log2(n))
    return _get_slopes(closest) + _get_slopes(2 * closest)[0::2][: n - closest]


def slopes(heads):
    return torch.from_numpy(np.asarray(_get_slopes(heads), dtype=np.float32))


def bias(heads, query_length, key_length):
    # like tf.linalg.band_part(x, -1, offset)
    offset = key_length - query_length
    ones = torch.ones(query_length, key_length, dtype=torch.bool)
    band = torch.tril(ones, diagonal=offset)
    rows = torch.arange(query_length)[:, None] + offset
    cols = torch.arange(key_length)[None, :]
    dist = torch.abs(rows - cols).to(torch.float32)
    out = torch.tensordot(slopes(heads), dist, dims=0).neg()
    return torch.where(band, out, torch.full_like(out, -math.inf))


def attention(query, key, value):
    batch, heads, q_len, dim = query.shape
    k_len = key.shape[2]
    q = torch.reshape(query, [batch * heads, q_len, dim])
    k = torch.reshape(key, [batch * heads, k_len, dim])
    v = torch.reshape(value, [batch * heads, k_len, value.shape[3]])

    logits = torch.matmul(q, torch.permute(k, [0, 2, 1])) / math.sqrt(dim)
    alibi = bias(heads, q_len, k_len).to(logits.device, logits.dtype)
    alibi = torch.repeat_interleave(alibi, batch, dim=0)
    logits = torch.add(logits, alibi)
    probs = torch.nn.functional.softmax(logits, dim=-1)
    context = torch.matmul(probs, v)
    return torch.reshape(context, [batch, heads, q_len, value.shape[3]])
