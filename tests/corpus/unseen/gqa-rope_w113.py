import math
import torch
import torch.nn.functional as F
from torch import nn


def angles(start, stop, dim, base, device):
    t = torch.arange(start, stop, device=device, dtype=torch.float64)
    freqs = base ** -torch.arange(0, dim, 2, device=device, dtype=torch.float64) / dim
    return torch.outer(t, freqs)


def apply_rotary(x, theta):
    # x (B, T, H, D), theta (T, D/2)
    cos, sin = theta.cos()[:, None].to(x.dtype), theta.sin()[:, None].to(x.dtype)
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_heads, self.n_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = float(base)
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        xk = self.wk(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xv = self.wv(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)

        start_pos = 0 if cache is None else cache[0].shape[1]
        theta = angles(start_pos, start_pos + seqlen, self.head_dim, self.base, x.device)
        xq, xk = apply_rotary(xq, theta), apply_rotary(xk, theta)
        if cache is not None:
            xk, xv = torch.cat((cache[0], xk), dim=1), torch.cat((cache[1], xv), dim=1)
        cache = (xk, xv)

        n_rep = self.n_heads // self.n_kv_heads
        keys = xk.repeat_interleave(n_rep, dim=2).transpose(1, 2)
        values = xv.repeat_interleave(n_rep, dim=2).transpose(1, 2)
        scores = xq.transpose(1, 2) @ keys.transpose(2, 3) / math.sqrt(self.head_dim)
        mask = torch.full(scores.shape[-2:], float("-inf"), device=x.device, dtype=x.dtype)
        scores = scores + torch.triu(mask, diagonal=start_pos + 1)
        output = (F.softmax(scores, dim=-1) @ values).transpose(1, 2).reshape(bsz, seqlen, -1)
        return self.wo(output), cache
