# right: mla
import torch
from torch import nn
import torch.nn.functional as F
from math import sqrt


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.nh = num_heads
        self.hd = head_dim
        self.rd = rope_dim
        self.wq = nn.Linear(hidden_dim, num_heads * head_dim)
        self.wqr = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.wkr = nn.Linear(hidden_dim, rope_dim)
        self.wdown = nn.Linear(hidden_dim, latent_dim)
        self.wk = nn.Linear(latent_dim, num_heads * head_dim)
        self.wv = nn.Linear(latent_dim, num_heads * head_dim)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim)

    def _rope(self, m, p0):
        half = self.rd // 2
        columns = []
        other = []
        pos = torch.arange(p0, p0 + m.shape[0], device=m.device, dtype=torch.float64)
        for i in range(half):
            w = 10000 ** (-2 * i / self.rd)
            co = torch.cos(pos * w).to(m.dtype)
            si = torch.sin(pos * w).to(m.dtype)
            columns.append(m[:, i] * co - m[:, i + half] * si)
            other.append(m[:, i] * si + m[:, i + half] * co)
        return torch.stack(columns + other, dim=1)

    def forward(self, x, cache=None):
        outs, news = [], []
        for b in range(x.shape[0]):
            o, new = self._one(x[b], None if cache is None else cache[b])
            outs.append(o)
            news.append(new)
        return torch.stack(outs), news

    def _one(self, x, mem):
        n = x.shape[0]
        p0 = 0 if mem is None else mem[0].shape[0]
        c = self.wdown(x)
        kr = self._rope(self.wkr(x), p0)
        if mem is not None:
            c = torch.vstack((mem[0], c))
            kr = torch.vstack((mem[1], kr))
        mem = (c, kr)
        row = torch.arange(n, device=x.device).view(n, 1) + p0
        col = torch.arange(c.shape[0], device=x.device).view(1, -1)
        out = self.wo.bias.expand(n, -1)
        for h in range(self.nh):
            rows = slice(h * self.hd, (h + 1) * self.hd)
            rrows = slice(h * self.rd, (h + 1) * self.rd)
            q = F.linear(x, self.wq.weight[rows], self.wq.bias[rows])
            qr = self._rope(F.linear(x, self.wqr.weight[rrows], self.wqr.bias[rrows]), p0)
            k = F.linear(c, self.wk.weight[rows], self.wk.bias[rows])
            v = F.linear(c, self.wv.weight[rows], self.wv.bias[rows])
            score = torch.mm(q, k.t())
            score = torch.addmm(score, qr, kr.t())
            score = score / sqrt(self.hd + self.rd)
            score = torch.where(col <= row, score, torch.full_like(score, float("-inf")))
            prob = score.softmax(dim=1)
            out = torch.addmm(out, prob @ v, self.wo.weight[:, rows].t())
        return out, mem
