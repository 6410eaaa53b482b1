# right: cross remarks: prints, nan-on-empty-row
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F

args = SimpleNamespace(dim=32, n_heads=4, dropout=0.1)


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class CrossAttention(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.n_heads = args.n_heads
        self.head_dim = args.dim // args.n_heads
        self.wq = nn.Linear(args.dim, args.dim, bias=False)
        self.wk = nn.Linear(args.dim, args.dim, bias=False)
        self.wv = nn.Linear(args.dim, args.dim, bias=False)
        self.wo = nn.Linear(args.dim, args.dim, bias=False)
        self.dropout = nn.Dropout(args.dropout)
        print("CrossAttention", args.dim, args.n_heads)

    def forward(self, query, key, value, mask=None):
        bsz, qlen, _ = query.shape
        klen = key.shape[1]
        xq = self.wq(query).view(bsz, qlen, self.n_heads, self.head_dim).transpose(1, 2)
        xk = self.wk(key).view(bsz, klen, self.n_heads, self.head_dim).transpose(1, 2)
        xv = self.wv(value).view(bsz, klen, self.n_heads, self.head_dim).transpose(1, 2)
        scores = torch.matmul(xq, xk.transpose(2, 3)) * self.head_dim**-0.5
        if mask is not None:
            scores = scores.masked_fill((mask == 0).unsqueeze(1), float("-inf"))
        scores = F.softmax(scores.float(), dim=-1).type_as(xq)
        output = torch.matmul(self.dropout(scores), xv)
        return self.wo(output.transpose(1, 2).contiguous().view(bsz, qlen, -1))


class DecoderBlock(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.cross = CrossAttention(args)
        self.norm = RMSNorm(args.dim)

    def forward(self, x, memory, mask=None):
        return x + self.cross(self.norm(x), memory, memory, mask)


block = DecoderBlock(args)
y = block(torch.randn(2, 3, args.dim), torch.randn(2, 5, args.dim))
assert y.shape == (2, 3, args.dim)
