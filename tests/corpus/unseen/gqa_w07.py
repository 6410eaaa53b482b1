"""GQA, llama.cpp-reader's version."""
import math

import torch
from torch import nn


class GroupedQueryAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.heads, self.kv_heads = num_heads, num_kv_heads
        d = hidden_dim // num_heads
        self.d = d
        self.wq = nn.Linear(hidden_dim, num_heads * d, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * d, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * d, bias=False)
        self.wo = nn.Linear(num_heads * d, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        d = self.d
        rep = self.heads // self.kv_heads
        q = self.wq(x).view(b, t, self.heads, d).transpose(1, 2)
        k = self.wk(x).view(b, t, self.kv_heads, d).transpose(1, 2)
        v = self.wv(x).view(b, t, self.kv_heads, d).transpose(1, 2)

        # broadcast kv to the query heads
        k = k[:, :, None].expand(b, self.kv_heads, rep, t, d).reshape(b, -1, t, d)
        v = v[:, None].expand(b, rep, self.kv_heads, t, d).reshape(b, -1, t, d)

        kq = torch.matmul(q, k.transpose(-2, -1)).mul_(1.0 / math.sqrt(d))
        if attention_mask is not None:
            kq = kq.masked_fill(attention_mask == 0, -math.inf)
        kqv = torch.matmul(torch.softmax(kq, dim=-1), v)
        return self.wo(kqv.transpose(1, 2).reshape(b, t, self.heads * d))
