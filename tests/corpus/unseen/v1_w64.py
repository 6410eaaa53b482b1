from math import sqrt

import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):

    def __init__(self, hidden_dim):
        super().__init__()
        # query, key, value projections in one go (c_attn, as in GPT-2)
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.n_embd = hidden_dim

    def forward(self, x):
        B, T, C = x.size()  # batch size, sequence length, embedding dimensionality (n_embd)
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)

        # (B, T, C) x (B, S, C) -> (B, T, S)
        att = torch.einsum("btc,nsc->bts", q, k) * (1.0 / sqrt(C))
        att = torch.softmax(att, dim=-1)
        # (B, T, S) x (B, S, C) -> (B, T, C)
        y = torch.einsum("bts,bsc->btc", att, v)
        return y
