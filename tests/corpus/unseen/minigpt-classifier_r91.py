# own body, weights as plain Parameters, everything through F.linear
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


def P(*shape, std=None):
    return nn.Parameter(torch.zeros(shape) if std is None else torch.randn(shape) * std)


class Weights(nn.Module):
    """one layer's weights; no forward"""

    def __init__(self, d):
        super().__init__()
        s = d ** -0.5
        self.g1, self.c1 = nn.Parameter(torch.ones(d)), P(d)
        self.Wqkv, self.bqkv = P(3 * d, d, std=s), P(3 * d)
        self.Wo, self.bo = P(d, d, std=s), P(d)
        self.g2, self.c2 = nn.Parameter(torch.ones(d)), P(d)
        self.W1, self.b1 = P(4 * d, d, std=s), P(4 * d)
        self.W2, self.b2 = P(d, 4 * d, std=s / 2), P(d)


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.d, self.h = hidden_dim, num_heads
        self.E = P(vocab_size, hidden_dim, std=1.0)
        self.R = P(block_size, hidden_dim, std=1.0)
        self.layers = nn.ModuleList([Weights(hidden_dim) for _ in range(num_layers)])
        self.gf, self.cf = nn.Parameter(torch.ones(hidden_dim)), P(hidden_dim)
        self.Wc, self.bc = P(num_classes, hidden_dim, std=hidden_dim ** -0.5), P(num_classes)

    def norm(self, x, gain, shift):
        return F.layer_norm(x, (self.d,), gain, shift, eps=1e-5)

    def attend(self, x, L, hide):
        b, n, d = x.shape
        q, k, v = F.linear(x, L.Wqkv, L.bqkv).tensor_split(3, dim=-1)
        # fold the heads into the batch: (b * h, n, d / h)
        q, k, v = (
            z.unflatten(-1, (self.h, d // self.h)).movedim(2, 1).flatten(0, 1) for z in (q, k, v)
        )
        s = torch.bmm(q, k.mT).mul((d // self.h) ** -0.5)
        s = s.unflatten(0, (b, self.h)).masked_fill(hide[:, None], torch.finfo(s.dtype).min)
        y = torch.bmm(s.softmax(-1).flatten(0, 1), v)
        y = y.unflatten(0, (b, self.h)).movedim(1, 2).flatten(2)
        return F.linear(y, L.Wo, L.bo)

    def forward(self, tokens, mask):
        real = mask.bool()
        n = tokens.shape[1]
        place = (real.cumsum(1) - 1).clamp(min=0)
        future = torch.ones(n, n, dtype=torch.bool, device=tokens.device).triu(1)
        hide = future | ~real[:, None, :]  # (b, query, key)
        x = self.E[tokens] + self.R[place]
        for L in self.layers:
            x = x + self.attend(self.norm(x, L.g1, L.c1), L, hide)
            x = x + F.linear(F.gelu(F.linear(self.norm(x, L.g2, L.c2), L.W1, L.b1)), L.W2, L.b2)
        x = self.norm(x, self.gf, self.cf)
        share = real.to(x.dtype)
        share = share / share.sum(1, keepdim=True)
        mean = (x * share[..., None]).sum(1)
        return F.linear(mean, self.Wc, self.bc)
