import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        d = hidden_dim // num_heads
        init = lambda *s: nn.Parameter(torch.randn(*s) * hidden_dim**-0.5)
        self.wq = init(hidden_dim, num_heads, d)
        self.wk = init(hidden_dim, num_heads, d)
        self.wv = init(hidden_dim, num_heads, d)
        self.wo = init(num_heads, d, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = torch.einsum("bqm,mhd->bqhd", query, self.wq)
        k = torch.einsum("bkm,mhd->bkhd", key, self.wk)
        v = torch.einsum("bkm,mhd->bkhd", value, self.wv)
        q = q / q.shape[-2] ** 0.5
        logits = torch.einsum("bqhd,bkhd->bhqk", q, k)
        if mask is not None:
            logits = torch.where(mask[:, None].bool(), logits, torch.finfo(logits.dtype).min)
        probs = self.dropout(torch.softmax(logits, dim=-1))
        return torch.einsum("bhqk,bkhd,hdm->bqm", probs, v, self.wo)
