from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """Fused weight as a (3, d, d) stack; weights normalised in log space."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.stack = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        self.shift = nn.Parameter(torch.zeros(3, hidden_dim))
        for w in self.stack:
            nn.init.xavier_normal_(w)

    def forward(self, x: Tensor) -> Tensor:
        d = x.shape[-1]
        fused = F.linear(x, self.stack.flatten(0, 1), self.shift.flatten())   # (b, t, 3d)
        q, k, v = fused.unflatten(-1, (3, d)).unbind(-2)                      # 3 of (b, t, d)
        logit = (q / d ** 0.5) @ k.mT
        log_w = logit - logit.logsumexp(dim=-1, keepdim=True)
        return log_w.exp() @ v
