import torch
from torch import nn
import torch.nn.functional as F


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.n_embd = hidden_dim

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        # attention (B, T, C) x (B, C, T) -> (B, T, T)
        att = F.softmax(q @ k.transpose(-2, -1), dim=-1) / (C ** 0.5)
        y = att @ v
        return self.c_proj(y)
