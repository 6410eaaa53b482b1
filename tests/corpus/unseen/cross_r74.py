import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    """Key and value weights are stacked, but applied separately: they may come from different tensors."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        e = hidden_dim
        self.nhead, self.p = num_heads, dropout
        self.Wq = nn.Parameter(torch.empty(e, e))
        self.Wkv = nn.Parameter(torch.empty(2 * e, e))
        self.bq = nn.Parameter(torch.zeros(e))
        self.bkv = nn.Parameter(torch.zeros(2 * e))
        self.out = nn.Linear(e, e)
        self.reset_parameters()

    def reset_parameters(self):
        for w in (self.Wq, self.Wkv):
            nn.init.xavier_uniform_(w)

    def forward(self, query, key, value, mask=None):
        e = self.Wq.size(0)
        (wk, wv), (bk, bv) = self.Wkv.split(e), self.bkv.split(e)
        q = F.linear(query, self.Wq, self.bq)
        k, v = F.linear(key, wk, bk), F.linear(value, wv, bv)
        B, L, S = q.size(0), q.size(1), k.size(1)
        # (B, L, E) -> (L, B*H, d) -> (B*H, L, d), the way nn's own module does it
        hd = e // self.nhead
        q = q.transpose(0, 1).reshape(L, B * self.nhead, hd).transpose(0, 1)
        k = k.transpose(0, 1).reshape(S, B * self.nhead, hd).transpose(0, 1)
        v = v.transpose(0, 1).reshape(S, B * self.nhead, hd).transpose(0, 1)
        bias = q.new_zeros(B * self.nhead, L, S)
        if mask is not None:
            per_head = mask.repeat_interleave(self.nhead, dim=0)
            bias = bias.masked_fill(per_head == 0, float("-inf"))
        a = torch.baddbmm(bias, q / hd**0.5, k.mT).softmax(dim=-1)
        o = F.dropout(a, self.p, self.training) @ v
        return self.out(o.transpose(0, 1).reshape(L, B, e).transpose(0, 1))
