import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, d_ff):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_head = d_model // n_heads
        self.d_kv = n_kv_heads * self.d_head
        self.norm1 = nn.Parameter(torch.ones(d_model))
        self.norm2 = nn.Parameter(torch.ones(d_model))
        self.qkv = nn.Linear(d_model, d_model + 2 * self.d_kv, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)

    def rms_norm(self, u, weight):
        mean_square = torch.mean(u * u, dim=-1, keepdim=True)
        return u / torch.sqrt(mean_square + 1e-5) * weight

    def rope(self, t, cos, sin):
        half = self.d_head // 2
        first, second = t[..., :half], t[..., half:]
        new_first = first * cos - second * sin
        new_second = second * cos + first * sin
        return torch.cat([new_first, new_second], dim=-1)

    def attend(self, u, cos, sin):
        b, n, d = u.shape
        q, k, v = self.qkv(u).split([d, self.d_kv, self.d_kv], dim=-1)
        q = q.view(b, n, self.n_heads, self.d_head).transpose(1, 2)
        k = k.view(b, n, self.n_kv_heads, self.d_head).transpose(1, 2)
        v = v.view(b, n, self.n_kv_heads, self.d_head).transpose(1, 2)
        q = self.rope(q, cos, sin)
        k = self.rope(k, cos, sin)
        q = q.reshape(b, self.n_kv_heads, -1, n, self.d_head)
        scores = q @ k.unsqueeze(2).transpose(-2, -1) / math.sqrt(self.d_head)
        future = torch.triu(torch.ones(n, n, device=u.device), diagonal=1)
        scores = scores.masked_fill(future == 1, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        context = weights @ v.unsqueeze(2)
        context = context.reshape(b, self.n_heads, n, self.d_head)
        context = context.transpose(1, 2).reshape(b, n, d)
        return self.out(context)

    def mlp(self, u):
        gate = F.silu(self.w_gate(u))
        up = self.w_up(u)
        return self.w_down(gate * up)

    def forward(self, x, cos, sin):
        attended = self.attend(self.rms_norm(x, self.norm1), cos, sin)
        h = x + attended
        fed = self.mlp(self.rms_norm(h, self.norm2))
        return h + fed
