# wrong: v3 mask-inverted line 22
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Optional


class MaskedSelfAttention(nn.Module):
    def __init__(self, embed_dim: int, dropout: float = 0.1):
        super().__init__()
        self.embed_dim = embed_dim
        self.dropout = dropout
        self.qkv_proj = nn.Linear(embed_dim, 3 * embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, x: torch.Tensor, attention_mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        q, k, v = self.qkv_proj(x).chunk(3, dim=-1)
        q = q * (self.embed_dim ** -0.5)
        attn = torch.bmm(q, k.transpose(1, 2))

        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask.bool(), torch.finfo(attn.dtype).min)

        attn = F.softmax(attn, dim=-1)
        attn = F.dropout(attn, p=self.dropout, training=self.training)
        return self.out_proj(torch.bmm(attn, v))
