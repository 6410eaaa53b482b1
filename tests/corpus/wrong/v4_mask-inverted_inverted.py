# wrong: v4 mask-inverted line 20
import torch
from torch import nn
from typing import Optional


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.scale: float = hidden_dim ** -0.5
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, attention_mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        q = self.to_q(x) * self.scale
        k, v = self.to_kv(x).chunk(2, dim=-1)
        sim = torch.einsum('b i d, b j d -> b i j', q, k)
        if attention_mask is not None:
            sim.masked_fill_(attention_mask.bool(), -torch.finfo(sim.dtype).max)
        attn = self.dropout(sim.softmax(dim=-1))
        return torch.einsum('b i j, b j d -> b i d', attn, v)
