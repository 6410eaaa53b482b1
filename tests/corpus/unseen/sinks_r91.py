from __future__ import annotations

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """With a sink the weights are softmax(scores) times one gate for each query:

        e^s / (Σ e^s + e^sink) = softmax(s) · sigmoid(log Σ e^s − sink)
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.to_qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        wide = torch.promote_types(x.dtype, torch.float32)
        q, k, v = self.to_qkv(x).view(batch, length, 3 * self.num_heads, -1).transpose(1, 2).chunk(3, dim=1)

        scores = torch.matmul(q.to(wide), k.to(wide).mT) / q.shape[-1] ** 0.5
        steps = torch.arange(length, device=x.device)
        scores = scores.masked_fill(steps.unsqueeze(1) < steps, -torch.inf)

        log_sum = scores.logsumexp(dim=-1)
        gate = torch.sigmoid(log_sum - self.sinks.to(wide).view(1, -1, 1))
        attended = torch.exp(scores - log_sum.unsqueeze(-1)) @ v.to(wide)
        heads = attended * gate.unsqueeze(-1)
        return self.to_out(heads.transpose(1, 2).reshape(batch, length, width).to(x.dtype))
