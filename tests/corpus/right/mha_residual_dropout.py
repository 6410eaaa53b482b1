# right: mha remarks: fill-overflows-half
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, n_embd, n_head, dropout=0.1):
        super().__init__()
        self.n_head = n_head
        self.q = nn.Linear(n_embd, n_embd)
        self.k = nn.Linear(n_embd, n_embd)
        self.v = nn.Linear(n_embd, n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.attn_dropout = nn.Dropout(dropout)
        self.resid_dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, T, C = x.size()
        hs = C // self.n_head
        q = self.q(x).view(B, T, self.n_head, hs).transpose(1, 2)
        k = self.k(x).view(B, T, self.n_head, hs).permute(0, 2, 3, 1)  # already transposed
        v = self.v(x).view(B, T, self.n_head, hs).transpose(1, 2)
        att = (q @ k) / math.sqrt(hs)
        if mask is not None:
            att = att.masked_fill(mask == 0, -1e9)
        att = self.attn_dropout(torch.softmax(att, dim=-1))
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y))
