import torch
import torch.nn as nn
import torch.nn.functional as F
import math


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(hidden_dim)
        self.ln_2 = nn.LayerNorm(hidden_dim)
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.c_fc = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.mlp_proj = nn.Linear(4 * hidden_dim, hidden_dim)
        self.n_head = num_heads

    def attn(self, x):
        B, T, C = x.size()
        hs = C // self.n_head
        q, k, v = (t.view(B, T, self.n_head, hs).transpose(1, 2) for t in self.c_attn(x).split(C, dim=-1))
        w = q @ k.transpose(-2, -1) / math.sqrt(hs)
        keep = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        w = F.softmax(torch.where(keep, w, float("-inf")), dim=-1)
        return self.c_proj((w @ v).transpose(1, 2).reshape(B, T, C))

    def forward(self, x):
        h = x + self.attn(self.ln_1(x))
        m = self.mlp_proj(F.gelu(self.c_fc(self.ln_2(h))))
        return x + m
