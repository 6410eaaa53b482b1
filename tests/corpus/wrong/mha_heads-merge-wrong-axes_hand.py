# wrong: mha heads-merge-wrong-axes line 21
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        self.h = num_heads
        self.wq = nn.Linear(hidden_size, hidden_size)
        self.wk = nn.Linear(hidden_size, hidden_size)
        self.wv = nn.Linear(hidden_size, hidden_size)
        self.fc = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def split_heads(self, t):
        return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def merge_heads(self, t):
        b, h, l, d = t.shape
        return t.permute(0, 2, 3, 1).reshape(b, l, h * d)

    def forward(self, x, attention_mask=None):
        q = self.split_heads(self.wq(x))
        k = self.split_heads(self.wk(x))
        v = self.split_heads(self.wv(x))
        e = torch.einsum('bhqd,bhkd->bhqk', q, k) * q.shape[-1] ** -0.5
        if attention_mask is not None:
            e = e.masked_fill(attention_mask == 0, torch.finfo(e.dtype).min)
        a = self.drop(e.softmax(dim=-1))
        o = torch.einsum('bhqk,bhkd->bhqd', a, v)
        return self.fc(self.merge_heads(o))
