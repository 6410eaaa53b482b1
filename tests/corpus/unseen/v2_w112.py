import math
import torch
import torch.nn as nn
from torch.nn import functional as F

class SelfAttentionV2(nn.Module):

    def __init__(self, hidden_dim, bias=True):
        super().__init__()
        # key, query, value projections, but in one go
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=bias)
        # output projection
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.n_embd = hidden_dim

    def forward(self, x):
        B, T, C = x.size() # batch size, sequence length, embedding dimensionality (n_embd)

        # calculate query, key, values
        qkv = self.c_attn(x).view(B, 3, T, C)
        q, k, v = qkv.unbind(dim=1)

        # self-attention; (B, T, C) x (B, C, T) -> (B, T, T)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(C))
        att = F.softmax(att, dim=-1)
        y = att @ v # (B, T, T) x (B, T, C) -> (B, T, C)
        return self.c_proj(y)
