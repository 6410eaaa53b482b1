# right: gqa-rope
from functools import partial

import torch
from torch import nn


def init_dense(shape, fan_in):
    return nn.Parameter(torch.randn(*shape) * fan_in**-0.5)


def rope(x, positions, *, base):
    """x: [B, T, ..., D] with positions [T]."""
    d = x.shape[-1]
    acc = torch.promote_types(x.dtype, torch.float32)
    fraction = 2 * torch.arange(0, d // 2, dtype=acc, device=x.device) / d
    timescale = base**fraction
    sinusoid = positions[:, None].to(acc) / timescale[None, :]
    sinusoid = sinusoid.reshape(sinusoid.shape[0], *([1] * (x.ndim - 3)), d // 2)
    sin, cos = torch.sin(sinusoid), torch.cos(sinusoid)
    first, second = torch.split(x.to(acc), [d // 2, d // 2], dim=-1)
    out = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
    return out.to(x.dtype)


def softmax(logits):
    unnormalized = torch.exp(logits - logits.amax(-1, keepdim=True))
    return unnormalized / unnormalized.sum(-1, keepdim=True)


def attention_fn(params, x, cache, *, rope_fn):
    wq, wk, wv, wo = params
    q = torch.einsum("BTD,DKGH->BTKGH", x, wq)
    k = torch.einsum("BSD,DKH->BSKH", x, wk)
    v = torch.einsum("BSD,DKH->BSKH", x, wv)

    start = 0 if cache is None else cache[0].shape[1]
    positions = start + torch.arange(x.shape[1], device=x.device)
    q = rope_fn(q, positions)
    k = rope_fn(k, positions)
    if cache is not None:
        k = torch.cat([cache[0], k], dim=1)
        v = torch.cat([cache[1], v], dim=1)

    q = q * (q.shape[-1] ** -0.5)
    logits = torch.einsum("BTKGH,BSKH->BKGTS", q, k)
    mask = positions[:, None] >= torch.arange(k.shape[1], device=x.device)[None, :]
    logits = torch.where(mask, logits, torch.finfo(logits.dtype).min)
    probs = softmax(logits)
    encoded = torch.einsum("BKGTS,BSKH->BTKGH", probs, v)
    return torch.einsum("BTKGH,KGHD->BTD", encoded, wo), (k, v)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        K, G, H = num_kv_heads, num_heads // num_kv_heads, hidden_dim // num_heads
        self.wq = init_dense((hidden_dim, K, G, H), hidden_dim)
        self.wk = init_dense((hidden_dim, K, H), hidden_dim)
        self.wv = init_dense((hidden_dim, K, H), hidden_dim)
        self.wo = init_dense((K, G, H, hidden_dim), K * G * H)
        self._apply_fn = partial(attention_fn, rope_fn=partial(rope, base=base))

    def forward(self, x, cache=None):
        return self._apply_fn((self.wq, self.wk, self.wv, self.wo), x, cache)
