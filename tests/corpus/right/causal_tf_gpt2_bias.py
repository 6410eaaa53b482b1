# right: causal
import math

import torch
import torch.nn as nn


class Conv1D(nn.Module):
    """A linear layer with the weight transposed, as the TF checkpoint has it."""

    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.empty(nx, nf).normal_(std=0.02))
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        return torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight).view(*x.shape[:-1], self.nf)


def attention_mask(nd, ns, *, device):
    """1's in the lower triangle, counting from the lower right corner."""
    i = torch.arange(nd, device=device)[:, None]
    j = torch.arange(ns, device=device)
    return i >= j - ns + nd


class Attention(nn.Module):
    def __init__(self, n_embd, n_head, n_ctx, attn_pdrop=0.1):
        super().__init__()
        self.n_head, self.n_embd, self.n_ctx = n_head, n_embd, n_ctx
        self.c_attn = Conv1D(n_embd * 3, n_embd)
        self.c_proj = Conv1D(n_embd, n_embd)
        self.attn_dropout = nn.Dropout(attn_pdrop)

    def split_heads(self, x, k=False):
        x = x.view(*x.shape[:-1], self.n_head, x.size(-1) // self.n_head)
        return x.permute(0, 2, 3, 1) if k else x.permute(0, 2, 1, 3)

    def _attn(self, q, k, v):
        w = torch.matmul(q, k) / math.sqrt(v.size(-1))
        nd, ns = w.size(-2), w.size(-1)
        b = attention_mask(nd, ns, device=w.device).to(w.dtype)
        w = w * b - 1e4 * (1 - b)
        w = self.attn_dropout(torch.softmax(w, dim=-1))
        return torch.matmul(w, v)

    def forward(self, x):
        query, key, value = self.c_attn(x).split(self.n_embd, dim=2)
        a = self._attn(self.split_heads(query), self.split_heads(key, k=True), self.split_heads(value))
        a = a.permute(0, 2, 1, 3).contiguous()
        return self.c_proj(a.view(*a.shape[:-2], self.n_embd))
