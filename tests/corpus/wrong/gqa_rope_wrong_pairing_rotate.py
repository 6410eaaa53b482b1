# wrong: gqa-rope rope-wrong-pairing line 15
# fair: rope-wrong-pairing 9 13 14 34
import torch
import torch.nn as nn
import torch.nn.functional as F


def rotate_every_two(x):
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)


def rope(x, theta):
    cos = theta.cos().repeat_interleave(2, dim=-1).to(x.dtype)
    sin = theta.sin().repeat_interleave(2, dim=-1).to(x.dtype)
    return x * cos + rotate_every_two(x) * sin


class LlamaAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        inv_freq = 1.0 / base ** (torch.arange(0, self.head_dim, 2).float() / self.head_dim)
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        self.qkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.head_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        sizes = [self.num_heads, self.num_kv_heads, self.num_kv_heads]
        q, k, v = self.qkv(x).view(B, T, -1, self.head_dim).transpose(1, 2).split(sizes, dim=1)
        past = 0 if cache is None else cache.shape[-2]
        theta = torch.outer(torch.arange(past, past + T, device=x.device).float(), self.inv_freq.float())
        q, k = rope(q, theta), rope(k, theta)
        kv = torch.stack((k, v))
        kv = kv if cache is None else torch.cat((cache, kv), dim=-2)
        k, v = kv.repeat_interleave(self.num_heads // self.num_kv_heads, dim=2)
        w = q @ k.mT * self.head_dim**-0.5
        w = w.masked_fill(torch.ones_like(w).triu(past + 1) == 1, float("-inf"))
        y = F.softmax(w, dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(B, T, C)), kv
