# wrong: qk-norm qk-norm-centred line 23
import math
import torch
import torch.nn as nn


class QKNormSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.q_norm = nn.LayerNorm(self.d_head, eps=1e-6)
        self.k_norm = nn.LayerNorm(self.d_head, eps=1e-6)

    def forward(self, x):
        B, L, D = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, L, self.n_heads, self.d_head).transpose(1, 2)
        k = k.view(B, L, self.n_heads, self.d_head).transpose(1, 2)
        v = v.view(B, L, self.n_heads, self.d_head).transpose(1, 2)
        q = self.q_norm(q)
        k = self.k_norm(k)
        s = q @ k.transpose(-1, -2) / math.sqrt(self.d_head)
        s = s.masked_fill(torch.ones(L, L, device=x.device).triu(1).bool(), -math.inf)
        return self.out((s.softmax(-1) @ v).transpose(1, 2).reshape(B, L, D))
