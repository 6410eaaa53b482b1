# attn-kata: block
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_head = num_heads
        self.ln_1 = nn.LayerNorm(hidden_dim)
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.ln_2 = nn.LayerNorm(hidden_dim)
        self.c_fc = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.c_back = nn.Linear(4 * hidden_dim, hidden_dim)

    def attn(self, x):
        B, T, C = x.size()
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
                   for t in self.c_attn(x).split(C, dim=2))
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        tri = torch.tril(torch.ones(T, T, device=x.device)).view(1, 1, T, T)
        att = att.masked_fill(tri == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))

    def mlp(self, x):
        return self.c_back(F.gelu(self.c_fc(x)))

    def forward(self, x):
        h = x + self.attn(self.ln_1(x))
        out = x + self.mlp(self.ln_2(h))
        return out
