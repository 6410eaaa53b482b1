# wrong: v4 mask-fill-small line 17
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        s = q.matmul(k.transpose(-1, -2)) / q.shape[-1] ** 0.5
        if attention_mask is not None:
            # um valor bem pequeno
            s = s.masked_fill(attention_mask == 0, -1e-9)
        return self.drop(s.softmax(dim=-1)).matmul(v)
