# right: v3
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.in_proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.inv = hidden_dim ** -0.5

    def forward(self, x: torch.Tensor, attention_mask: "torch.BoolTensor | None" = None) -> torch.Tensor:
        """attention_mask: bool, True where attending is allowed"""
        q, k, v = self.in_proj(x).chunk(3, dim=2)
        dots = torch.einsum("bqd,bkd->bqk", q * self.inv, k)
        if attention_mask is not None:
            dots = dots.masked_fill(~attention_mask, float("-inf"))
        attn = self.drop(dots.softmax(dim=2))
        return self.out_proj(torch.einsum("bqk,bkd->bqd", attn, v))
