# in the manner of nanoGPT
import math
import torch.nn as nn
from torch.nn import functional as F


class SelfAttentionV2(nn.Module):

    def __init__(self, hidden_dim):
        super().__init__()
        # key, query, value projections, but in a batch
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        # output projection
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.n_embd = hidden_dim

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = F.softmax(att, dim=-1)
        y = att @ v
        return self.c_proj(y)
