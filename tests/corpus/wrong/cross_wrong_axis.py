# wrong: cross softmax-over-heads line 23
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    # clé et valeur viennent du même contexte
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wkv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query, context, mask=None):
        b, n, d = query.shape
        h = self.num_heads
        q = self.wq(query).view(b, n, h, d // h)
        k, v = self.wkv(context).view(b, -1, 2, h, d // h).unbind(2)
        s = torch.einsum("bqhd,bkhd->bqkh", q, k) / (d // h) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(-1) == 0, float("-1e30"))
        w = torch.softmax(s, dim=-1)
        return self.wo(torch.einsum("bqkh,bkhd->bqhd", w, v).reshape(b, n, d))
