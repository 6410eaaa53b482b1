import math
import torch
from torch import nn, Tensor
from typing import Optional


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.num_key_value_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.num_groups = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        n, l, e = x.shape
        q = self.q_proj(x).view(n, l, self.num_key_value_heads, self.num_groups, self.head_dim)
        k = self.k_proj(x).view(n, l, self.num_key_value_heads, self.head_dim)
        v = self.v_proj(x).view(n, l, self.num_key_value_heads, self.head_dim)
        energy = torch.einsum("nqkgd,nskd->nkgqs", q, k).reshape(n, self.num_heads, l, l)
        energy = energy / math.sqrt(self.head_dim)
        if attention_mask is not None:
            energy = energy.masked_fill(attention_mask == 0, float("-inf"))
        attention = energy.softmax(dim=3).view(n, self.num_key_value_heads, self.num_groups, l, l)
        out = torch.einsum("nkgqs,nskd->nqkgd", attention, v).reshape(n, l, e)
        return self.out_proj(out)
