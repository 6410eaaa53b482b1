# right: llama-block
import math

import torch
import torch.nn.functional as F
from torch import nn


def matrix(rows, columns):
    return nn.Parameter(torch.randn(rows, columns) / math.sqrt(rows))


def rms(u, g):
    return u / torch.sqrt((u * u).mean(-1, keepdim=True) + 1e-5) * g


def rotary(u, cos, sin):
    pairs = u.unflatten(-1, (2, -1))
    first, second = pairs.unbind(-2)
    return torch.stack((first * cos - second * sin, second * cos + first * sin), -2).flatten(-2)


class Block(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, d_ff):
        super().__init__()
        self.h, self.g, self.d = n_heads, n_kv_heads, d_model // n_heads
        self.wq, self.wk = matrix(d_model, d_model), matrix(d_model, self.g * self.d)
        self.wv, self.wo = matrix(d_model, self.g * self.d), matrix(d_model, d_model)
        self.w_gate, self.w_up, self.w_down = matrix(d_model, d_ff), matrix(d_model, d_ff), matrix(d_ff, d_model)
        self.g1, self.g2 = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.ones(d_model))

    def attention(self, u, cos, sin):
        q = (u @ self.wq).unflatten(-1, (self.h, self.d)).transpose(1, 2)
        k = (u @ self.wk).unflatten(-1, (self.g, self.d)).transpose(1, 2)
        v = (u @ self.wv).unflatten(-1, (self.g, self.d)).transpose(1, 2)
        q, k = rotary(q, cos, sin), rotary(k, cos, sin)
        outs = []
        for head in range(self.h):
            kv = head * self.g // self.h
            s = q[:, head] @ k[:, kv].mT / math.sqrt(self.d)
            t = s.shape[-1]
            keep = torch.arange(t, device=u.device)[:, None] >= torch.arange(t, device=u.device)
            outs.append(torch.where(keep, s, torch.finfo(s.dtype).min).softmax(-1) @ v[:, kv])
        return torch.cat(outs, -1) @ self.wo

    def mlp(self, u):
        return (F.silu(u @ self.w_gate) * (u @ self.w_up)) @ self.w_down

    def forward(self, x, cos, sin):
        h = x + self.attention(rms(x, self.g1), cos, sin)
        return h + self.mlp(rms(h, self.g2))
