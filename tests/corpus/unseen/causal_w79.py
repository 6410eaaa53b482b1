# attn-kata: causal
# after openai/gpt-2, model.py
import math

import torch
from torch import nn


class Conv1D(nn.Module):
    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.randn(nx, nf) * 0.02)
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        return torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight).view(*x.shape[:-1], self.nf)


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.n_ctx = block_size
        self.n_head = num_heads
        self.register_buffer("bias", torch.tril(torch.ones(block_size, block_size)).bool()[None, None])
        self.c_attn = Conv1D(3 * hidden_dim, hidden_dim)
        self.c_proj = Conv1D(hidden_dim, hidden_dim)

    def split_heads(self, x):
        return x.view(*x.shape[:-1], self.n_head, -1).permute(0, 2, 1, 3)

    def merge_heads(self, x):
        x = x.permute(0, 2, 1, 3).contiguous()
        return x.view(*x.shape[:-2], -1)

    def _attn(self, q, k, v):
        w = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(v.size(-1))
        nd, ns = w.size(-2), self.n_ctx
        b = self.bias[:, :, ns - nd : ns, :nd]
        w = w.masked_fill(~b, torch.finfo(w.dtype).min)
        return torch.matmul(torch.softmax(w, dim=-1), v)

    def forward(self, x):
        q, k, v = self.c_attn(x).chunk(3, dim=-1)
        a = self._attn(*map(self.split_heads, (q, k, v)))
        return self.c_proj(self.merge_heads(a))
