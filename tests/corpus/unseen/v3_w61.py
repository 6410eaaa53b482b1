# attn-kata: v3
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.units = hidden_dim
        self.keep_prob = 1.0 - dropout
        for name in "qkvo":
            self.add_module(name, nn.Linear(hidden_dim, hidden_dim, bias=name == "o"))
        self.attention_dropout = nn.Dropout(self.keep_prob)

    def compute_logits(self, x: Tensor) -> Tensor:
        q = self.q(x) * (1.0 / math.sqrt(self.units))
        return torch.matmul(q, self.k(x).transpose(1, 2))

    def call(self, x: Tensor, attention_mask: Tensor | None) -> Tensor:
        logits = self.compute_logits(x)
        if attention_mask is not None:
            adder = (1.0 - attention_mask.to(logits.dtype)) * torch.finfo(logits.dtype).min
            logits = logits + adder
        probs = torch.softmax(logits, dim=-1)
        probs = self.attention_dropout(probs)
        return self.o(torch.matmul(probs, self.v(x)))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.call(x, attention_mask)
