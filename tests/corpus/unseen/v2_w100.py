import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)

    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        sim = torch.einsum("bid,bjd->bij", q, k) * self.hidden_dim ** -0.5
        attn = sim.softmax(dim=-1)
        return torch.einsum("bij,bid->bid", attn, v)
