import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    # scores are kept key-major here, (batch, key, query), so that the last
    # product is a plain v^T s without another transpose
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.scale = hidden_dim**-0.5

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        s = torch.einsum("bkd,bqd->bkq", k, q) * self.scale
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        p = self.drop(s.softmax(dim=1))
        return self.proj(torch.einsum("bkq,bkd->bqd", p, v))
