# wrong: mha mask-fill-small line 26
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, n, d = x.shape
        h = self.num_heads
        q = self.wq(x).view(b, n, h, d // h)
        k = self.wk(x).view(b, n, h, d // h)
        v = self.wv(x).view(b, n, h, d // h)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) * (d // h) ** -0.5
        if attention_mask is not None:
            # log 1 = 0 where visible
            keep = attention_mask.to(s.dtype)
            s = s + torch.log(keep.clamp(min=1e-4))
        w = self.dropout(s.softmax(-1))
        return self.wo(torch.einsum("bhqk,bkhd->bqhd", w, v).reshape(b, n, d))
