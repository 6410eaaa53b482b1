from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * hidden_dim))
        nn.init.xavier_uniform_(self.in_proj_weight)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.empty(num_heads).normal_())

    def forward(self, x: Tensor) -> Tensor:
        bsz, length, _ = x.shape
        proj = nn.functional.linear(x, self.in_proj_weight, self.in_proj_bias)

        def shape(t: Tensor) -> Tensor:
            t = t.view(bsz, length, self.num_heads, self.head_dim).transpose(1, 2)
            return t.reshape(bsz * self.num_heads, length, self.head_dim)

        q, k, v = map(shape, proj.chunk(3, dim=-1))
        logits = torch.bmm(q / math.sqrt(self.head_dim), k.transpose(1, 2))
        hide = torch.full((length, length), float("-inf"), dtype=logits.dtype, device=x.device)
        logits = logits + torch.triu(hide, diagonal=1)

        sink = self.sink.repeat_interleave(bsz).view(-1, 1, 1)
        top = torch.maximum(logits.amax(-1, keepdim=True), sink).detach()
        e = torch.exp(logits - top)
        weights = e / (e.sum(-1, keepdim=True) + torch.exp(sink - top))

        y = torch.bmm(weights, v).view(bsz, self.num_heads, length, self.head_dim)
        return self.out_proj(y.transpose(1, 2).reshape(bsz, length, self.embed_dim))
