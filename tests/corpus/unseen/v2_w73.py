"""Single-head attention, fused projection."""
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.d = hidden_dim
        self.linear_qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.linear_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.linear_qkv(x).split(self.d, dim=-1)
        scale = self.d ** -1 / 2
        scores = torch.einsum("btd,bsd->bts", q, k) * scale
        attn = torch.softmax(scores, dim=-1)
        return self.linear_out(torch.einsum("bts,bsd->btd", attn, v))
