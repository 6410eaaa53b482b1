import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.scale = hidden_dim ** -0.5

    def forward(self, x):
        b, t, d = x.shape
        query, key, value = self.qkv_proj(x).view(3, b, t, d)
        weights = torch.softmax(query @ key.transpose(1, 2) * self.scale, dim=-1)
        return weights @ value
