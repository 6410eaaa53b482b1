import torch
import torch.nn as nn
import torch.nn.functional as F


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.H, self.KV, self.hs, self.base = num_heads, num_kv_heads, hidden_dim // num_heads, base
        # one matrix: queries, keys, values
        self.c_attn = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hs, bias=False)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def angles(self, x, past, T):
        pos = torch.arange(past, past + T, device=x.device).to(x)
        inv = self.base ** -(torch.arange(0, self.hs, 2, device=x.device, dtype=torch.float64) / self.hs)
        ang = pos[:, None] * inv.to(x)
        return ang.cos(), ang.sin() # (T, hs/2)

    def rope(self, t, cos, sin):
        a, b = t[..., :self.hs // 2], t[..., self.hs // 2:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def forward(self, x, cache=None):
        B, T, C = x.size()
        heads = self.c_attn(x).view(B, T, self.H + 2 * self.KV, self.hs).transpose(1, 2)
        q, k, v = heads.split([self.H, self.KV, self.KV], dim=1)

        past = cache['k'].size(2) if cache is not None else 0
        cos, sin = self.angles(x, past, T)
        q, k = self.rope(q, cos, sin), self.rope(k, cos, sin)

        if cache is not None:
            k = torch.cat((cache['k'], k), dim=2)
            v = torch.cat((cache['v'], v), dim=2)
        present = dict(k=k, v=v)

        q = q.reshape(B, self.KV, self.H // self.KV, T, self.hs)
        att = (q @ k.unsqueeze(2).mT) * self.hs ** -0.5 # (B, KV, rep, T, S)
        S = k.size(2)
        tril = torch.ones(T, S, device=x.device, dtype=torch.bool).tril(diagonal=S - T)
        att = F.softmax(att.masked_fill(tril.logical_not(), float('-inf')), dim=-1)
        y = att @ v.unsqueeze(2) # (B, KV, rep, T, hs)
        y = y.reshape(B, self.H, T, self.hs).transpose(1, 2).reshape(B, T, C)
        return self.c_proj(y), present
