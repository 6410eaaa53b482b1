import typing as t

import torch
from torch import nn


class Cfg(t.TypedDict, total=False):
    model: int
    heads: int
    eps: float


class QKNormAttention(nn.Module):
    def __init__(self, cfg: Cfg):
        super().__init__()
        model, heads, eps = cfg["model"], cfg["heads"], cfg.get("eps", 1e-6)
        self.heads, self.depth = heads, model // heads
        self.query_proj = nn.Linear(model, model, bias=False)
        self.key_proj = nn.Linear(model, model, bias=False)
        self.value_proj = nn.Linear(model, model, bias=False)
        self.query_norm = nn.LayerNorm(self.depth, eps=eps, bias=False)
        self.key_norm = nn.LayerNorm(self.depth, eps=eps, bias=False)
        self.output_proj = nn.Linear(model, model, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, model = x.shape

        def heads(z):
            return z.reshape(batch, length, self.heads, self.depth).transpose(1, 2)

        q = self.query_norm(heads(self.query_proj(x)))
        k = self.key_norm(heads(self.key_proj(x)))
        v = heads(self.value_proj(x))

        causal = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        scores = torch.matmul(q, k.mT) / self.depth**0.5
        weights = torch.where(causal, scores, float("-inf")).softmax(-1)
        return self.output_proj(torch.matmul(weights, v).transpose(1, 2).reshape(batch, length, model))
