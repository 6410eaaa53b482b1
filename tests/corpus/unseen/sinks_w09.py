from __future__ import annotations

import torch
from torch import Tensor, nn


def causal_mask(n: int, device) -> Tensor:
    r = torch.arange(n, device=device)
    return r[:, None] >= r[None, :]


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.n_heads = num_heads
        self.d_head = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.s_aux = nn.Parameter(torch.empty(num_heads))
        nn.init.normal_(self.s_aux)

    def heads(self, y: Tensor) -> Tensor:
        return y.view(y.shape[0], y.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        q, k, v = self.heads(self.Wq(x)), self.heads(self.Wk(x)), self.heads(self.Wv(x))
        logits = q.matmul(k.transpose(2, 3)) * self.d_head**-0.5
        logits = logits.masked_fill(~causal_mask(n, x.device), float("-inf"))

        sink = self.s_aux.reshape(1, -1, 1, 1).expand(b, -1, n, 1)
        # the sink comes first, like the BOS token it stands for
        row = torch.cat([sink, logits], dim=-1).softmax(dim=-1)
        weights = row.narrow(-1, 0, n)
        y = weights.matmul(v).transpose(1, 2).reshape(b, n, -1)
        return self.Wo(y)
