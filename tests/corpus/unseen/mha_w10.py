# attn-kata: mha
import logging
import math

import torch
from torch import Tensor, nn

logger = logging.getLogger(__name__)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError(f"hidden_dim={hidden_dim} is not divisible by num_heads={num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.proj = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ("q", "k", "v", "out")})
        self.dropout = nn.Dropout(p=dropout)
        logger.debug("built with %d heads of %d", num_heads, self.head_dim)

    def _heads(self, name: str, x: Tensor) -> Tensor:
        return self.proj[name](x).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = (self._heads(n, x) for n in ("q", "k", "v"))
        scores = torch.matmul(q, k.mT) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            if attention_mask.is_floating_point():
                scores = scores + attention_mask.to(scores.dtype)
            else:
                scores = scores.masked_fill(attention_mask == 0, -math.inf)
        weights = self.dropout(scores.softmax(-1))
        context = torch.matmul(weights, v).transpose(1, 2).flatten(2)
        return self.proj["out"](context)
