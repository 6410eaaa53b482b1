import numpy as np
import torch


def slopes(heads):
    def series(n):
        return 2.0 ** (-8.0 * np.arange(1, n + 1) / n)

    p = 2 ** int(np.log2(heads))
    s = series(p)
    if p < heads:
        s = np.concatenate([s, series(2 * p)[0::2][: heads - p]])
    return torch.from_numpy(s).float()


def bias(heads, query_length, key_length):
    q = np.arange(query_length).reshape(-1, 1) + (key_length - query_length)
    k = np.arange(key_length).reshape(1, -1)
    dist = torch.from_numpy((q - k).astype(np.float32))
    b = -(slopes(heads).view(-1, 1, 1) * dist)
    b[:, dist < 0] = float("-inf")
    return b


def attention(query, key, value):
    n_heads, lq, dim = query.shape[1:]
    lk = key.shape[-2]
    alibi = bias(n_heads, lq, lk).to(device=query.device, dtype=query.dtype)
    attn = torch.einsum("bhqd,bhkd->bhqk", query, key)
    attn = (attn + alibi) / dim ** 0.5
    attn = attn - attn.amax(dim=-1, keepdim=True).detach()
    attn = attn.exp()
    attn = attn / attn.sum(dim=-1, keepdim=True)
    return torch.einsum("bhqk,bhkv->bhqv", attn, value)
