import torch
from torch import nn
from torch.func import vmap

NEG = float("-inf")


def as_bias(mask, dtype):
    """bool (True hides) or float -> float, to be added"""
    if mask.dtype is torch.bool:
        return torch.zeros_like(mask, dtype=dtype).masked_fill(mask, NEG)
    return mask


def attend(q, k, v, bias):
    """(target, d), (source, d), (source, d), (target, source)"""
    s = q @ k.transpose(0, 1) / q.shape[-1] ** 0.5 + bias
    empty = (s == NEG).all(-1, keepdim=True)
    w = torch.softmax(torch.where(empty, torch.zeros_like(s), s), -1)
    w = torch.where(empty, torch.zeros_like(w), w)
    return w @ v, w


class Projections(nn.Module):
    """q, k and v of one head"""

    def __init__(self, embed_dim, head_dim, bias):
        super().__init__()
        self.q = nn.Linear(embed_dim, head_dim, bias)
        self.k = nn.Linear(embed_dim, head_dim, bias)
        self.v = nn.Linear(embed_dim, head_dim, bias)


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.heads = nn.ModuleList(
            [Projections(embed_dim, embed_dim // num_heads, bias) for _ in range(num_heads)]
        )
        self.out = nn.Linear(embed_dim, embed_dim, bias)

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
    ):
        n, t, s, h = len(query), query.shape[1], key.shape[1], len(self.heads)
        bias = query.new_zeros(n, h, t, s)
        if attn_mask is not None:
            extra = as_bias(attn_mask, query.dtype)
            bias = bias + (extra.unflatten(0, (n, h)) if extra.ndim == 3 else extra)
        if key_padding_mask is not None:
            bias = bias + as_bias(key_padding_mask, query.dtype).view(n, 1, 1, s)

        outs, maps = [], []
        for i, p in enumerate(self.heads):
            o, w = vmap(attend)(p.q(query), p.k(key), p.v(value), bias[:, i])
            outs.append(o)
            maps.append(w)
        output = self.out(torch.cat(outs, -1))
        if not need_weights:
            return output, None
        if average_attn_weights:
            return output, sum(maps) / h
        return output, torch.stack(maps, 1)
