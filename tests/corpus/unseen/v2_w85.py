import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class SelfAttentionV2(nn.Module):

    def __init__(self, hidden_dim):
        super().__init__()
        # key, query, value projections in one batch
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        # output projection
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.n_embd = hidden_dim

    def forward(self, x):
        B, T, C = x.size() # batch size, sequence length, embedding dimensionality (n_embd)

        q, k, v = self.c_attn(x).view(3, B, T, C).unbind(0)

        # self-attention: (B, T, C) x (B, C, T) -> (B, T, T)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = F.softmax(att, dim=-1)
        y = att @ v # (B, T, T) x (B, T, C) -> (B, T, C)

        return self.c_proj(y)
