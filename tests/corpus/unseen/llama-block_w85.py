# attn-kata: llama-block
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Attention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, dim // n_heads
        self.wq = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, dim, bias=False)

    def rotate(self, t, cos, sin):
        a, b = t.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def forward(self, x, cos, sin):
        b, n, _ = x.shape
        q = self.wq(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(b, n, self.n_kv_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(b, n, self.n_kv_heads, self.head_dim).transpose(1, 2)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        rep = self.n_heads // self.n_kv_heads
        k = k[:, :, None].expand(-1, -1, rep, -1, -1).flatten(1, 2)
        v = v[:, :, None].expand(-1, -1, rep, -1, -1).flatten(1, 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(self.head_dim)
        scores = scores + torch.full((n, n), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        return self.wo((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, -1))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.attention = Attention(hidden_dim, num_heads, num_kv_heads)
        self.feed_forward = FeedForward(hidden_dim, mlp_dim)
        self.attention_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.ffn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)

    def forward(self, x, cos, sin):
        x = self.attention_norm(x)
        h = x + self.attention(x, cos, sin)
        return h + self.feed_forward(self.ffn_norm(h))
