# wrong: v4 dropout-missing line 24, residual-added line 26
import math
from typing import Optional

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.inv_scale = 1.0 / math.sqrt(hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = dropout

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        logits = torch.matmul(q, k.transpose(-2, -1)) * self.inv_scale
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, torch.finfo(logits.dtype).min)
        weights = logits.softmax(dim=-1)
        context = torch.matmul(weights, v)
        return x + self.o_proj(context)
