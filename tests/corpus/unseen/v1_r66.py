"""Ported from my flax.linen version; layers keep the names they had in the checkpoint tree."""
import math
from typing import Optional

import torch
import torch.nn as nn


class Dense(nn.Module):
    """flax-style dense: kernel is (in, features), y = x @ kernel + bias."""

    def __init__(self, features: int, *, in_features: int, use_bias: bool = True):
        super().__init__()
        self.kernel = nn.Parameter(torch.randn(in_features, features) / math.sqrt(in_features))
        self.bias: Optional[nn.Parameter] = nn.Parameter(torch.zeros(features)) if use_bias else None

    def forward(self, inputs):
        y = torch.tensordot(inputs, self.kernel, dims=([-1], [0]))
        return y if self.bias is None else y + self.bias


def log_softmax(logits):
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return logits - torch.logsumexp(logits, -1, keepdim=True)


class SelfAttentionV1(nn.Module):
    features: int

    def __init__(self, hidden_dim: int, **kw):
        super().__init__()
        self.features = hidden_dim
        use_bias = kw.pop("use_bias", True)
        if kw:
            raise TypeError(f"unknown options {sorted(kw)}")
        self.setup(use_bias)

    def setup(self, use_bias):
        for scope in ("value", "key", "query"):
            self.add_module(scope, Dense(self.features, in_features=self.features, use_bias=use_bias))

    def forward(self, inputs):                      # [batch..., len, features]
        depth = self.query.kernel.shape[1]
        q = self.query(inputs) * depth**-0.5
        logits = torch.einsum("...qd,...kd->...qk", q, self.key(inputs))
        probs = log_softmax(logits).exp().to(q.dtype)   # rows sum to one
        return torch.einsum("...qk,...kd->...qd", probs, self.value(inputs))
