from typing import Optional

import torch
import torch.nn as nn
from torch import Tensor


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        q: Tensor = self.query(x)
        k: Tensor = self.key(x)
        v: Tensor = self.value(x)

        scores = torch.matmul(q, k.transpose(-1, -2))
        scores = scores / self.hidden_dim**0.5

        if attention_mask is not None:
            info = torch.finfo(scores.dtype)
            # works in fp16/bf16 too, unlike -1e9
            scores = torch.where(attention_mask > 0, scores, info.tiny)

        probs = torch.softmax(scores, dim=-1)
        probs = self.dropout(probs)
        return self.proj(torch.matmul(probs, v))
