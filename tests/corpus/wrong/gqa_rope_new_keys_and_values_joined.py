# wrong: gqa-rope cache-wrong-order line 20
import torch
import torch.nn.functional as F
from torch import nn


def cos_sin(start, n, dim, base, x):
    theta = torch.tensor([base ** (-2 * i / dim) for i in range(dim // 2)], device=x.device)
    t = torch.arange(start, start + n, device=x.device)
    ang = torch.outer(t.float(), theta.float()).tile(1, 2)
    return ang.cos().to(x.dtype), ang.sin().to(x.dtype)


def turn(x, cos, sin):
    h = x.shape[-1] // 2
    return x * cos + torch.cat([x[..., h:].neg(), x[..., :h]], -1) * sin


def join(new, old):
    return torch.cat([new, old], dim=-2)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.H, self.G, self.D, self.base = num_heads, num_kv_heads, hidden_dim // num_heads, base
        self.w_q = nn.Parameter(torch.randn(self.H * self.D, hidden_dim) * hidden_dim**-0.5)
        self.w_k = nn.Parameter(torch.randn(self.G * self.D, hidden_dim) * hidden_dim**-0.5)
        self.w_v = nn.Parameter(torch.randn(self.G * self.D, hidden_dim) * hidden_dim**-0.5)
        self.w_o = nn.Parameter(torch.randn(hidden_dim, self.H * self.D) * hidden_dim**-0.5)

    def forward(self, x, cache=None):
        B, L, _ = x.shape
        q = F.linear(x, self.w_q).view(B, L, self.H, self.D).transpose(1, 2)
        k = F.linear(x, self.w_k).view(B, L, self.G, self.D).transpose(1, 2)
        v = F.linear(x, self.w_v).view(B, L, self.G, self.D).transpose(1, 2)
        past = cache["k"].size(2) if cache is not None else 0
        cos, sin = cos_sin(past, L, self.D, self.base, x)
        q, k = turn(q, cos, sin), turn(k, cos, sin)
        if cache is not None:
            k, v = join(k, cache["k"]), join(v, cache["v"])
        cache = {"k": k, "v": v}
        k, v = (t.repeat_interleave(self.H // self.G, dim=1) for t in (k, v))
        logits = q @ k.transpose(-2, -1) * self.D**-0.5
        mask = torch.tril(torch.ones(L, past + L, device=x.device), diagonal=past)
        logits = logits.masked_fill(mask == 0, float("-inf"))
        y = F.softmax(logits, dim=-1) @ v
        return F.linear(y.transpose(1, 2).flatten(2), self.w_o), cache
