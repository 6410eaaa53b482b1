# wrong: v2 scale-without-sqrt line 18
import torch
import torch.nn as nn
from torch.nn import functional as F


class SelfAttentionV2(nn.Module):

    def __init__(self, n_embd):
        super().__init__()
        # key, query, value projections in a batch
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.n_embd = n_embd

    def forward(self, x):
        B, T, C = x.size()  # batch size, sequence length, embedding dimensionality
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        att = (q @ k.transpose(-2, -1)) / k.size(-1)
        att = F.softmax(att, dim=-1)
        return att @ v
