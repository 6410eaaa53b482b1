"""MultiHeadDotProductAttention with DenseGeneral kernels, but torch's calling convention."""
from dataclasses import dataclass

import torch
from torch import nn


class DenseGeneral(nn.Module):
    """kernel[in..., out...], contracted by an einsum equation."""

    def __init__(self, eq, in_shape, out_shape, use_bias):
        super().__init__()
        self.eq = eq
        fan_in = int(torch.tensor(in_shape).prod())
        self.kernel = nn.Parameter(torch.randn(*in_shape, *out_shape) * fan_in**-0.5)
        self.bias = nn.Parameter(torch.zeros(*out_shape)) if use_bias else None

    def forward(self, x):
        y = torch.einsum(self.eq, x, self.kernel)
        return y if self.bias is None else y + self.bias


@dataclass(frozen=True)
class _Cfg:
    features: int
    heads: int
    rate: float
    use_bias: bool

    @property
    def depth(self):
        return self.features // self.heads


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.cfg = cfg = _Cfg(embed_dim, num_heads, dropout, bias)
        hd = (cfg.heads, cfg.depth)
        for name in ("query", "key", "value"):
            self.add_module(name, DenseGeneral("...f,fhd->...hd", (cfg.features,), hd, bias))
        self.out = DenseGeneral("...hd,hdf->...f", hd, (cfg.features,), bias)
        self.dropout = nn.Dropout(cfg.rate)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q = self.query(query) * self.cfg.depth**-0.5
        logits = torch.einsum("bqhd,bkhd->bhqk", q, self.key(key))

        hidden = torch.zeros((), dtype=torch.bool, device=logits.device)
        if attn_mask is not None:
            am = attn_mask
            if am.ndim == 3:
                am = am.unflatten(0, (-1, self.cfg.heads))  # [B, H, Q, K]
            if am.dtype is torch.bool:
                hidden = hidden | am
            else:
                logits = logits + am
        if key_padding_mask is not None:
            hidden = hidden | key_padding_mask[:, None, None, :]
        logits = torch.where(hidden, torch.finfo(logits.dtype).min, logits)

        probs = logits.softmax(-1)
        mixed = torch.einsum("bhqk,bkhd->bqhd", self.dropout(probs), self.value(value))
        output = self.out(mixed)
        weights = None
        if need_weights:
            weights = probs.mean(dim=-3) if average_attn_weights else probs
        return output, weights
