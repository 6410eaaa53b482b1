from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink = nn.Parameter(torch.randn(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q, k, v = (t.reshape(b, n, self.h, -1).permute(0, 2, 1, 3) for t in self.to_qkv(x).chunk(3, dim=-1))
        logits = torch.matmul(q, k.mT) * self.scale
        logits = logits + torch.full((n, n), float("-inf"), dtype=logits.dtype, device=logits.device).triu(1)
        sink = self.sink.reshape(1, self.h, 1, 1).expand(b, self.h, n, 1)
        probs = F.softmax(torch.cat((logits, sink), dim=-1), dim=-1)
        weights = probs[..., :n]
        weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-9)
        out = torch.matmul(weights, v)
        return self.to_out(out.permute(0, 2, 1, 3).reshape(b, n, c))
