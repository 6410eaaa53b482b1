import torch
import torch.nn as nn
import torch.nn.functional as F


class GQAWithRope(nn.Module):
    """cos and sin are worked out once, up to a longest length, and cut by the offset."""

    def __init__(self, d_model, n_heads, n_kv_heads, max_seq_len=1024, rope_theta=10000.0):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d = d_model // n_heads
        self.qkv = nn.Linear(d_model, (n_heads + 2 * n_kv_heads) * self.d, bias=False)
        self.proj = nn.Linear(d_model, d_model, bias=False)
        inv = rope_theta ** (-torch.arange(0, self.d, 2).double() / self.d)
        ang = torch.arange(max_seq_len).double().unsqueeze(1) @ inv.unsqueeze(0)
        self.register_buffer("cos", ang.cos().repeat(1, 2).float(), persistent=False)
        self.register_buffer("sin", ang.sin().repeat(1, 2).float(), persistent=False)

    def _rot(self, t, lo, hi):
        l, r = t.chunk(2, dim=-1)
        return t * self.cos[lo:hi] + torch.cat([-r, l], dim=-1) * self.sin[lo:hi]

    def forward(self, x, cache=None):
        b, t, c = x.size()
        h, g, d = self.n_heads, self.n_kv_heads, self.d
        q, k, v = self.qkv(x).split([h * d, g * d, g * d], dim=2)
        q = q.view(b, t, h, d).transpose(1, 2)
        k = k.view(b, t, g, d).transpose(1, 2)
        v = v.view(b, t, g, d).transpose(1, 2)
        pos = 0 if cache is None else cache["pos"]
        q, k = self._rot(q, pos, pos + t), self._rot(k, pos, pos + t)
        if cache is not None:
            k, v = torch.cat([cache["k"], k], dim=-2), torch.cat([cache["v"], v], dim=-2)
        new_cache = {"pos": pos + t, "k": k, "v": v}
        k = k.unsqueeze(2).expand(-1, -1, h // g, -1, -1).flatten(1, 2)
        v = v.unsqueeze(2).expand(-1, -1, h // g, -1, -1).flatten(1, 2)
        att = (q @ k.transpose(-1, -2)) * (1.0 / d**0.5)
        causal = torch.tril(torch.ones(pos + t, pos + t, device=x.device))[pos:]
        att = att.masked_fill(causal == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.proj(y.transpose(1, 2).contiguous().view(b, t, c)), new_cache
