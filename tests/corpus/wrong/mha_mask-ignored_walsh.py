# wrong: mha mask-ignored line 22
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Signature from the paper: forward(q, k, v, mask)."""

    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def attention(self, q, k, v, mask):
        s = q @ k.transpose(-1, -2) / self.d_k ** 0.5
        if mask is not None:
            s.masked_fill(mask == 0, -1e9)
        return self.drop(s.softmax(-1)) @ v

    def forward(self, q, k, v, mask=None):
        n = q.size(0)
        q, k, v = [w(t).view(n, -1, self.num_heads, self.d_k).transpose(1, 2)
                   for w, t in zip((self.wq, self.wk, self.wv), (q, k, v))]
        y = self.attention(q, k, v, mask)
        return self.wo(y.transpose(1, 2).contiguous().view(n, -1, self.num_heads * self.d_k))
