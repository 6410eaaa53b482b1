import torch
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.norm = nn.LayerNorm(hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, hidden_dim * 4),
            nn.GELU(),
            nn.Linear(hidden_dim * 4, hidden_dim),
        )

    def attention(self, h):
        b, t, d = h.shape
        q = self.q_proj(h).view(b, t, self.num_heads, self.head_dim)
        k = self.k_proj(h).view(b, t, self.num_heads, self.head_dim)
        v = self.v_proj(h).view(b, t, self.num_heads, self.head_dim)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.head_dim ** 0.5
        causal_mask = torch.ones(t, t, device=h.device).tril().bool()
        scores = scores.masked_fill(causal_mask.logical_not(), torch.finfo(scores.dtype).min)
        probs = scores.softmax(dim=-1)
        ctx = torch.einsum("bhqk,bkhd->bqhd", probs, v).reshape(b, t, d)
        return self.o_proj(ctx)

    def forward(self, x):
        attended = x + self.attention(self.norm(x))
        return attended + self.mlp(self.norm(attended))
