from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """Plain attention, then one gate per head and query for what the sink takes away."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink_logit = nn.Parameter(torch.randn(num_heads))

    def _core(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        scores = torch.matmul(q, k.transpose(-1, -2)) / q.size(-1) ** 0.5
        n = scores.size(-1)
        allowed = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
        softmax_lse = torch.logsumexp(scores.detach(), dim=-1)
        return torch.matmul(F.softmax(scores, dim=-1), v), softmax_lse

    def forward(self, x: Tensor) -> Tensor:
        b, s, h = x.shape
        shape = (b, s, self.num_heads, h // self.num_heads)
        q = self.q_proj(x).view(shape).transpose(1, 2)
        k = self.k_proj(x).view(shape).transpose(1, 2)
        v = self.v_proj(x).view(shape).transpose(1, 2)
        context, softmax_lse = self._core(q, k, v)
        gate = torch.sigmoid(softmax_lse - self.sink_logit.view(1, -1, 1))
        context = context * gate.unsqueeze(-1)
        return self.o_proj(context.transpose(1, 2).reshape(b, s, h))
