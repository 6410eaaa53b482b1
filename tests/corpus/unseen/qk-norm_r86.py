from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class QKNormAttention(nn.Module):
    """A loop over heads, each with weights of its own; the two gains are common to all."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads

        def weights() -> nn.ParameterList:
            return nn.ParameterList(nn.Parameter(torch.randn(d, hidden_dim) * hidden_dim**-0.5) for _ in range(num_heads))

        self.q, self.k, self.v = weights(), weights(), weights()
        self.query_gain = nn.Parameter(torch.ones(d))
        self.key_gain = nn.Parameter(torch.ones(d))
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        ahead = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        heads = []
        for wq, wk, wv in zip(self.q, self.k, self.v):
            q = F.rms_norm(F.linear(x, wq), (wq.shape[0],), self.query_gain, eps=1e-6)
            k = F.rms_norm(F.linear(x, wk), (wk.shape[0],), self.key_gain, eps=1e-6)
            scores = q @ k.mT / wq.shape[0] ** 0.5
            heads.append(scores.masked_fill(ahead, -torch.inf).softmax(-1) @ F.linear(x, wv))
        return self.out(torch.cat(heads, dim=-1))
