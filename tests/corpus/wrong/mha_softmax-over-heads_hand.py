# wrong: mha softmax-over-heads line 26
import torch
import torch.nn as nn
from dataclasses import dataclass


@dataclass
class AttnSizes:
    hidden: int
    heads: int

    @property
    def head_size(self) -> int:
        return self.hidden // self.heads


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.sizes = AttnSizes(hidden_dim, num_heads)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.softmax = nn.Softmax(dim=1)

    def transpose_for_scores(self, x):
        new_shape = x.size()[:-1] + (self.sizes.heads, self.sizes.head_size)
        return x.view(new_shape).permute(0, 2, 1, 3)

    def forward(self, x, attention_mask=None):
        q = self.transpose_for_scores(self.query(x))
        k = self.transpose_for_scores(self.key(x))
        v = self.transpose_for_scores(self.value(x))
        s = q @ k.transpose(-1, -2) / self.sizes.head_size ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -1e9)
        p = self.drop(self.softmax(s))
        c = (p @ v).permute(0, 2, 1, 3).contiguous()
        c = c.view(c.size()[:-2] + (self.sizes.hidden,))
        return self.dense(c)
