"""mistral-inference names, adapters as in its lora.py."""
import math
import torch
import torch.nn.functional as F
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, in_features, out_features, rank=2, scaling=2.0):
        super().__init__()
        self.lora_A = nn.Linear(in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, out_features, bias=False)
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.scaling = scaling
        nn.init.zeros_(self.lora_B.weight)

    def forward(self, x):
        return self.linear(x) + self.lora_B(self.lora_A(x)) * self.scaling


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = LoRALinear(hidden, dim)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Attention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads):
        super().__init__()
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.head_dim = dim // n_heads
        self.wq = LoRALinear(dim, n_heads * self.head_dim)
        self.wk = LoRALinear(dim, n_kv_heads * self.head_dim)
        self.wv = LoRALinear(dim, n_kv_heads * self.head_dim)
        self.wo = LoRALinear(n_heads * self.head_dim, dim)

    def forward(self, x, cos, sin):
        b, s, _ = x.shape

        def rot(u):
            a, c = u.split(self.head_dim // 2, dim=-1)
            co, si = cos[:, None], sin[:, None]
            return torch.cat((a * co - c * si, c * co + a * si), dim=-1)

        xq = rot(self.wq(x).view(b, s, self.n_heads, self.head_dim)).transpose(1, 2)
        xk = rot(self.wk(x).view(b, s, self.n_kv_heads, self.head_dim)).transpose(1, 2)
        xv = self.wv(x).view(b, s, self.n_kv_heads, self.head_dim).transpose(1, 2)
        repeats = self.n_heads // self.n_kv_heads
        xk, xv = (torch.repeat_interleave(z, repeats, dim=1) for z in (xk, xv))
        att = xq @ xk.mT / math.sqrt(self.head_dim)
        att = att + torch.full((s, s), -math.inf, dtype=att.dtype, device=att.device).triu(1)
        return self.wo((att.softmax(-1) @ xv).transpose(1, 2).reshape(b, s, -1))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.attention = Attention(hidden_dim, num_heads, num_kv_heads)
        self.feed_forward = FeedForward(hidden_dim, mlp_dim)
        self.attention_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.ffn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)

    def forward(self, x, cos, sin):
        h = x + self.attention(self.attention_norm(x), cos, sin)
        return h + self.feed_forward(self.ffn_norm(h))
