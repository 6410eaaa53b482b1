# wrong: gqa-rope cache-wrong-order line 35
# fair: cache-wrong-order 36
import torch
import torch.nn as nn
import torch.nn.functional as F


def rope(x, pos, base):
    d = x.shape[-1]
    freqs = pos[:, None].double() * torch.pow(base, -torch.arange(0, d, 2, device=x.device).double() / d)
    emb = torch.cat([freqs, freqs], -1)
    rot = torch.cat([-x[..., d // 2 :], x[..., : d // 2]], -1)
    return (x * emb.cos() + rot * emb.sin()).to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, num_kv_heads * head_dim)
        self.value = nn.Linear(hidden_dim, num_kv_heads * head_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, E = x.shape
        q = self.query(x).reshape(B, T, self.num_heads, -1).transpose(1, 2)
        k = self.key(x).reshape(B, T, self.num_kv_heads, -1).transpose(1, 2)
        v = self.value(x).reshape(B, T, self.num_kv_heads, -1).transpose(1, 2)
        P = cache["k"].shape[2] if cache else 0
        pos = torch.arange(P, P + T, device=x.device)
        q, k = rope(q, pos, self.base), rope(k, pos, self.base)
        if cache:
            k = torch.cat([k, cache["k"]], dim=2)
            v = torch.cat([v, cache["v"]], dim=2)
        rep = self.num_heads // self.num_kv_heads
        s = q @ k.repeat_interleave(rep, dim=1).transpose(2, 3) / q.shape[-1] ** 0.5
        s = s + torch.full((T, P + T), float("-inf"), device=x.device).triu(P + 1)
        y = F.softmax(s, dim=-1) @ v.repeat_interleave(rep, dim=1)
        return self.output(y.transpose(1, 2).reshape(B, T, E)), {"k": k, "v": v}
