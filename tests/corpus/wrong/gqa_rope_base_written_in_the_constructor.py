# wrong: gqa-rope rope-base-ignored line 12
import math
import torch
import torch.nn as nn


class GQA_RoPE(nn.Module):
    """未旋转的 k 存入缓存，每次取出后再旋转"""
    def __init__(self, d_model, n_heads, n_kv_heads, rope_theta=10000.0):
        super().__init__()
        self.H, self.G, self.Dh = n_heads, n_kv_heads, d_model // n_heads
        self.theta = 10000.0
        self.Wq = nn.Linear(d_model, self.H * self.Dh)
        self.Wk = nn.Linear(d_model, self.G * self.Dh)
        self.Wv = nn.Linear(d_model, self.G * self.Dh)
        self.Wo = nn.Linear(self.H * self.Dh, d_model)

    def rotate(self, t, pos):
        half = self.Dh // 2
        freq = self.theta ** (-torch.arange(half, device=t.device, dtype=torch.float32) / half)
        ang = pos.to(torch.float32)[:, None] * freq
        c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        q = self.Wq(x).view(B, T, self.H, self.Dh).transpose(1, 2)
        k = self.Wk(x).view(B, T, self.G, self.Dh).transpose(1, 2)
        v = self.Wv(x).view(B, T, self.G, self.Dh).transpose(1, 2)
        if cache:
            k = torch.cat([cache['k'], k], 2)
            v = torch.cat([cache['v'], v], 2)
        cache = {'k': k, 'v': v}
        S = k.shape[2]
        pos = torch.arange(S, device=x.device)
        q = self.rotate(q, pos[-T:])
        k = self.rotate(k, pos)
        q = q.view(B, self.G, self.H // self.G, T, self.Dh)
        att = torch.einsum('bgrtd,bgsd->bgrts', q, k) / math.sqrt(self.Dh)
        att = att.masked_fill(pos[None, :] > pos[-T:, None], -math.inf)
        y = torch.einsum('bgrts,bgsd->bgrtd', att.softmax(-1), v)
        y = y.reshape(B, self.H, T, self.Dh).transpose(1, 2).reshape(B, T, -1)
        return self.Wo(y), cache
