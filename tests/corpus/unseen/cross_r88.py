import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    # keys and values come as one stacked weight (2, D, D); the query has its own
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        D = hidden_dim
        self.nh = num_heads
        self.p = dropout
        self.wq = nn.Parameter(nn.init.xavier_normal_(torch.empty(D, D)))
        self.wkv = nn.Parameter(torch.stack([nn.init.xavier_normal_(torch.empty(D, D)) for _ in range(2)]))
        self.wo = nn.Parameter(nn.init.xavier_normal_(torch.empty(D, D)))
        self.bo = nn.Parameter(torch.zeros(D))

    def _one(self, q, k, v, m):
        # a single sample: (Tq, D), (Tk, D), (Tk, D), (Tq, Tk)
        Tq, D = q.shape
        q = (q @ self.wq).view(Tq, self.nh, -1)
        k = (k @ self.wkv[0]).view(k.shape[0], self.nh, -1)
        v = (v @ self.wkv[1]).view(v.shape[0], self.nh, -1)
        s = torch.einsum("qhd,khd->hqk", q, k) / (D / self.nh) ** 0.5
        s = torch.where(m, s, torch.finfo(s.dtype).min)
        a = F.dropout(F.softmax(s, -1), self.p, self.training)
        return torch.einsum("hqk,khd->qhd", a, v).reshape(Tq, D)

    def forward(self, query, key, value, mask=None):
        B, Tq, _ = query.shape
        if mask is None:
            mask = torch.ones(B, Tq, key.shape[1], device=query.device)
        mask = mask != 0
        y = torch.stack([self._one(*z) for z in zip(query, key, value, mask)])
        return torch.addmm(self.bo, y.flatten(0, 1), self.wo).view_as(query)
