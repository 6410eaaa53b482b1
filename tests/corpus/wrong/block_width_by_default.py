# wrong: block mlp-width line 34
# fair: mlp-width 10 17 19
import math

import torch
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1):
        super().__init__()
        self.nhead = nhead
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.linear1 = nn.Linear(d_model, dim_feedforward)
        self.dropout = nn.Dropout(dropout)
        self.linear2 = nn.Linear(dim_feedforward, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def _sa_block(self, x):
        B, T, E = x.shape
        q = self.q_proj(x).view(B, T, self.nhead, -1).transpose(1, 2)
        k = self.k_proj(x).view(B, T, self.nhead, -1).transpose(1, 2)
        v = self.v_proj(x).view(B, T, self.nhead, -1).transpose(1, 2)
        s = q @ k.transpose(-2, -1) / math.sqrt(E // self.nhead)
        s = s.masked_fill(torch.triu(torch.ones(T, T, device=x.device), 1).bool(), float("-inf"))
        out = (self.dropout(s.softmax(-1)) @ v).transpose(1, 2).reshape(B, T, E)
        return self.dropout(self.out_proj(out))

    def _ff_block(self, x):
        return self.dropout(self.linear2(self.dropout(nn.functional.gelu(self.linear1(x)))))

    def forward(self, x):
        x = x + self._sa_block(self.norm1(x))
        x = x + self._ff_block(self.norm2(x))
        return x
