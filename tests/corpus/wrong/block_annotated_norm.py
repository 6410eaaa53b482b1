# wrong: block norm-unbiased line 22
# fair: norm-unbiased 21
# The Annotated Transformer's LayerNorm as it stands there.
import math

import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    "Construct a layernorm module (See citation for details)."

    def __init__(self, features, eps=1e-6):
        super(LayerNorm, self).__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.a_2 * (x - mean) / (std + self.eps) + self.b_2


class SublayerConnection(nn.Module):
    def __init__(self, size, dropout):
        super(SublayerConnection, self).__init__()
        self.norm = LayerNorm(size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))


class SelfAttention(nn.Module):
    def __init__(self, h, d_model):
        super().__init__()
        self.h = h
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(4)])

    def forward(self, x):
        n = x.size(0)
        q, k, v = [lin(x).view(n, -1, self.h, x.size(-1) // self.h).transpose(1, 2) for lin in self.linears[:3]]
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        mask = torch.tril(torch.ones(x.size(1), x.size(1), device=x.device))
        p = scores.masked_fill(mask == 0, -1e4).softmax(-1)
        return self.linears[3]((p @ v).transpose(1, 2).contiguous().view(n, -1, x.size(-1)))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, h, dropout=0.1):
        super().__init__()
        self.self_attn = SelfAttention(h, d_model)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))
        self.sublayer = nn.ModuleList([SublayerConnection(d_model, dropout) for _ in range(2)])

    def forward(self, x):
        x = self.sublayer[0](x, self.self_attn)
        return self.sublayer[1](x, self.feed_forward)
