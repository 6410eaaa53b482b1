"""Transformer block assembled from mixins; every weight is a bare nn.Parameter."""
import math

import torch
from torch import nn
from torch.nn.functional import *  # noqa: F403


def glorot(*shape, fan):
    return nn.Parameter(torch.randn(*shape) / math.sqrt(fan))


class NormMixin:
    def init_norms(self, width, *names):
        for name in names:
            self.register_parameter(f"{name}_weight", nn.Parameter(torch.ones(width)))
            self.register_parameter(f"{name}_bias", nn.Parameter(torch.zeros(width)))

    def normalise(self, name, x):
        centred = x - x.mean(-1, keepdim=True)
        spread = torch.sqrt(centred.square().mean(-1, keepdim=True) + 1e-5)
        return centred / spread * getattr(self, f"{name}_weight") + getattr(self, f"{name}_bias")


class AttentionMixin:
    def init_attention(self, width, heads):
        size = width // heads
        # one (heads, width, size) stack each
        self.w_query = glorot(heads, width, size, fan=width)
        self.w_key = glorot(heads, width, size, fan=width)
        self.w_value = glorot(heads, width, size, fan=width)
        self.w_merge = glorot(heads, size, width, fan=width)

    def attend(self, x):
        per_head = x.unsqueeze(1)  # (batch, 1, length, width)
        query, key, value = per_head @ self.w_query, per_head @ self.w_key, per_head @ self.w_value
        logits = torch.matmul(query / math.sqrt(query.size(-1)), key.transpose(-1, -2))
        n = x.size(-2)
        hidden = torch.ones((n, n), dtype=torch.bool, device=x.device).tril().logical_not()
        weights = softmax(logits.masked_fill(hidden, -math.inf), dim=-1)  # noqa: F405
        return (weights @ value @ self.w_merge).sum(dim=1)


class MLPMixin:
    def init_mlp(self, width, factor=4):
        self.w_up, self.b_up = glorot(width, factor * width, fan=width), nn.Parameter(torch.zeros(factor * width))
        self.w_down, self.b_down = glorot(factor * width, width, fan=factor * width), nn.Parameter(torch.zeros(width))

    def think(self, x):
        return gelu(x @ self.w_up + self.b_up) @ self.w_down + self.b_down  # noqa: F405


class TransformerBlock(NormMixin, AttentionMixin, MLPMixin, nn.Module):
    def __init__(self, hidden_dim, num_heads):
        nn.Module.__init__(self)
        self.init_norms(hidden_dim, "before_attention", "before_mlp")
        self.init_attention(hidden_dim, num_heads)
        self.init_mlp(hidden_dim)

    def forward(self, x):
        x = x + self.attend(self.normalise("before_attention", x))
        return x + self.think(self.normalise("before_mlp", x))
