# attn-kata: v2
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.scale = hidden_dim ** -0.5

    def forward(self, x):
        bs, n, _ = x.shape
        query, key, value = self.to_qkv(x).view(bs, 3, n, self.hidden_dim).unbind(1)
        dots = torch.einsum("bid,bjd->bij", query, key) * self.scale
        attn = dots.softmax(dim=-1)
        return torch.einsum("bij,bjd->bid", attn, value)
