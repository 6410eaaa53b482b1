# wrong: qk-norm qk-norm-on-values line 32
import torch
from torch import nn


def rms(x, g, eps=1e-6):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * g


class MultiHeadAttentionQKNorm(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.in_proj = nn.Linear(embed_dim, 3 * embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)
        self.q_weight = nn.Parameter(torch.ones(self.head_dim))
        self.k_weight = nn.Parameter(torch.ones(self.head_dim))
        self.v_norm = nn.Parameter(torch.ones(self.head_dim))

    def forward(self, x):
        batch, length, _ = x.shape
        qkv = self.in_proj(x)
        qkv = qkv.reshape(batch, length, 3, self.num_heads, self.head_dim)
        qkv = qkv.permute(2, 0, 3, 1, 4)
        q = qkv[0]
        k = qkv[1]
        v = qkv[2]
        q = rms(q, self.q_weight)
        k = rms(k, self.k_weight)
        v = rms(v, self.v_norm)
        scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim ** 0.5
        causal = torch.tril(torch.ones(length, length, device=x.device))
        scores = scores.masked_fill(causal == 0, float("-inf"))
        out = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.out_proj(out.transpose(1, 2).reshape(batch, length, self.embed_dim))
