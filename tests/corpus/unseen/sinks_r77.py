from __future__ import annotations

import math
import warnings

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_parameter("sinks", nn.Parameter(torch.zeros(num_heads)))

    def weights(self, query: Tensor, key: Tensor) -> Tensor:
        scores = query @ key.mT / math.sqrt(self.head_dim)
        length = scores.shape[-1]
        ahead = torch.ones(length, length, dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(ahead, -math.inf)
        # one more column in front; it holds nothing but the sink
        logits = F.pad(scores, (1, 0)) + F.pad(self.sinks[:, None, None], (0, length))
        return logits.softmax(dim=-1)[..., 1:]

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (
            t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
            for t in self.qkv(x).chunk(3, dim=-1)
        )
        context = self.weights(query, key) @ value
        return self.out(context.transpose(1, 2).flatten(2))


class AttentionWithSinks(SinkAttention):
    """The old name."""

    def __init__(self, *args, **kwargs) -> None:
        warnings.warn("AttentionWithSinks is now SinkAttention", DeprecationWarning, stacklevel=2)
        super().__init__(*args, **kwargs)
