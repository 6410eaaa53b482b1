from typing import Optional

import torch
from torch import Tensor, nn


class MaskedSelfAttention(nn.Module):
    def __init__(self, embed_dim: int, dropout: float = 0.1, bias: bool = True) -> None:
        super().__init__()
        self.scale = embed_dim**-0.5
        self.in_proj = nn.Linear(embed_dim, 3 * embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, attn_mask: Optional[Tensor] = None) -> Tensor:
        q, k, v = self.in_proj(x).chunk(3, dim=-1)
        logits = torch.bmm(q * self.scale, k.transpose(1, 2))
        if attn_mask is not None:
            logits = logits.masked_fill(~attn_mask.bool(), torch.finfo(logits.dtype).min)
        return self.out_proj(torch.bmm(self.drop(logits.softmax(-1)), v))
