import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, C = x.shape

        q, k, v = self.c_attn(x).reshape(3, B, T, C)

        att = (q @ k.transpose(-2, -1)) * (C ** -0.5)
        att = F.softmax(att, dim=-1)
        y = att @ v

        return self.c_proj(y)
