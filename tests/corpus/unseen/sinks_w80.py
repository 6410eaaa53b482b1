from __future__ import annotations

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.output = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink = nn.Parameter(0.02 * torch.randn(num_heads))

    def _weights(self, scores: Tensor) -> Tensor:
        """Softmax with one more term in the sum, that of the head's sink."""
        largest = scores.amax(dim=-1, keepdim=True)
        exps = torch.exp(scores - largest)
        silent = torch.exp(self.sink[:, None, None] - largest)
        return exps / (exps.sum(dim=-1, keepdim=True) + silent)

    def forward(self, x: Tensor) -> Tensor:
        q = self.query(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        k = self.key(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        v = self.value(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        place = torch.arange(x.shape[1], device=x.device)
        scores = (q @ k.mT) * self.scale
        scores = scores.masked_fill(place > place[:, None], torch.finfo(scores.dtype).min)
        context = self._weights(scores) @ v
        return self.output(context.transpose(1, 2).flatten(2))
