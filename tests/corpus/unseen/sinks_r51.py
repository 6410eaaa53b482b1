from __future__ import annotations

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """Plain attention first; then each query keeps sigmoid(log-sum-exp − sink) of its output."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        width = hidden_dim // num_heads
        bound = hidden_dim**-0.5
        self.w_in = nn.Parameter(torch.empty(3, num_heads, width, hidden_dim).uniform_(-bound, bound))
        self.w_out = nn.Parameter(torch.empty(num_heads, width, hidden_dim).uniform_(-bound, bound))
        self.sink = nn.Parameter(torch.randn(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = torch.einsum("blc,nhdc->nbhld", x, self.w_in)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / self.w_in.shape[2] ** 0.5
        places = torch.arange(x.shape[1], device=x.device)
        scores = scores.masked_fill(places > places[:, None], float("-inf"))
        heard = torch.sigmoid(scores.logsumexp(-1) - self.sink[:, None])
        context = torch.einsum("bhq,bhqk,bhkd->bqhd", heard, scores.softmax(-1), v)
        return torch.einsum("bqhd,hdc->bqc", context, self.w_out)
