# wrong: causal nondeterministic line 26
# fair: nondeterministic 24, 25, 26
from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """The mask is made when it is first needed and then kept."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.block_size = block_size
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("_visible", None, persistent=False)

    def hidden(self, length: int, device: torch.device) -> Tensor:
        if self._visible is None or self._visible.device != device:
            ones = torch.ones(length, length, dtype=torch.bool, device=device)
            self._visible = ones.tril()
        return self._visible[:length, :length].logical_not()

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        h = self.num_heads

        def heads(layer: nn.Linear) -> Tensor:
            return layer(x).view(b, t, h, c // h).transpose(1, 2)

        scores = heads(self.wq) @ heads(self.wk).transpose(2, 3) / (c // h) ** 0.5
        scores = scores.masked_fill(self.hidden(t, x.device), torch.finfo(scores.dtype).min)
        out = scores.softmax(dim=3) @ heads(self.wv)
        return self.wo(out.transpose(1, 2).reshape(b, t, c))
