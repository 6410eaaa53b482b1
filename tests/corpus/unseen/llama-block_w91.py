import math
import torch
import torch.nn.functional as F
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        rms = torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True))
        return x / (rms + self.eps) * self.weight


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.h, self.kv = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        self.attention_norm = RMSNorm(hidden_dim)
        self.ffn_norm = RMSNorm(hidden_dim)
        self.wq = nn.Linear(hidden_dim, self.h * self.d, bias=False)
        self.wk = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.wv = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w1 = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.w2 = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.w3 = nn.Linear(hidden_dim, mlp_dim, bias=False)

    def rotate(self, t, cos, sin):
        a, b = t[..., : self.d // 2], t[..., self.d // 2 :]
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def attention(self, x, cos, sin):
        B, T, _ = x.shape
        q = self.wq(x).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.wk(x).view(B, T, self.kv, self.d).transpose(1, 2)
        v = self.wv(x).view(B, T, self.kv, self.d).transpose(1, 2)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        k = k.repeat_interleave(self.h // self.kv, 1)
        v = v.repeat_interleave(self.h // self.kv, 1)
        s = q @ k.transpose(2, 3) / math.sqrt(self.d)
        s = s + torch.full((T, T), float("-inf"), dtype=s.dtype, device=s.device).triu(1)
        return self.wo((s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, -1))

    def forward(self, x, cos, sin):
        h = x + self.attention(self.attention_norm(x), cos, sin)
        u = self.ffn_norm(h)
        return h + self.w2(F.silu(self.w1(u)) * self.w3(u))
