# right: v4
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Optional


class SelfAttentionV4(nn.Module):
    def __init__(self, embed_dim: int, dropout: float = 0.1):
        super().__init__()
        self.embed_dim = E = embed_dim
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * E, E))
        self.in_proj_bias = nn.Parameter(torch.empty(3 * E))
        self.out_proj = nn.Linear(E, E)
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.constant_(self.in_proj_bias, 0.0)

    def _role(self, x, i):
        rows = slice(i * self.embed_dim, (i + 1) * self.embed_dim)
        return F.linear(x, self.in_proj_weight[rows], self.in_proj_bias[rows])

    def forward(self, x, attention_mask: Optional[torch.Tensor] = None):
        q, k, v = (self._role(x, i) for i in range(3))
        if attention_mask is None:
            bias = x.new_zeros(())
        else:
            bias = torch.zeros(attention_mask.shape, dtype=x.dtype, device=x.device)
            bias = bias.masked_fill(attention_mask == 0, float("-inf"))
        w = torch.softmax(q @ k.transpose(1, 2) / self.embed_dim ** 0.5 + bias, dim=-1)
        w = F.dropout(w, p=self.dropout, training=self.training)
        return self.out_proj(w @ v)
