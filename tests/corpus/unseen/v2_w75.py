import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.scale = hidden_dim ** -0.5

    def forward(self, x):
        b, n, d = x.shape
        # pull q, k and v out of the fused projection
        qkv = self.to_qkv(x).reshape(3, b, n, d)
        q, k, v = qkv[0], qkv[1], qkv[2]

        sim = torch.einsum("bid,bjd->bij", q, k) * self.scale
        attn = F.softmax(sim, dim=-1)
        return torch.einsum("bij,bjd->bid", attn, v)
