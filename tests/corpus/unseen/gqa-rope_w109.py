import torch
from torch import nn


def visible(n_query, n_key, device):
    i = torch.arange(n_query, device=device).view(-1, 1)
    j = torch.arange(n_key, device=device).view(1, -1)
    return j <= i


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        d = hidden_dim // num_heads
        self.d, self.H, self.G, self.base = d, num_heads, num_kv_heads, base
        self.q_heads = nn.ModuleList(nn.Linear(hidden_dim, d, bias=False) for _ in range(num_heads))
        self.k_heads = nn.ModuleList(nn.Linear(hidden_dim, d, bias=False) for _ in range(num_kv_heads))
        self.v_heads = nn.ModuleList(nn.Linear(hidden_dim, d, bias=False) for _ in range(num_kv_heads))
        self.merge = nn.Linear(num_heads * d, hidden_dim, bias=False)

    def rope(self, u, positions):
        half = self.d // 2
        freq = torch.pow(float(self.base), -torch.arange(half, device=u.device, dtype=torch.float64) / half)
        theta = positions.double()[:, None] * freq
        c, s = theta.cos(), theta.sin()
        a, b = u.double().split(half, dim=-1)
        return torch.cat((a * c - b * s, b * c + a * s), dim=-1).to(u.dtype)

    def forward(self, x, cache=None):
        n = x.shape[1]
        cache = cache if cache is not None else tuple((None, None) for _ in range(self.G))
        start = 0 if cache[0][0] is None else cache[0][0].shape[1]
        positions = torch.arange(start, start + n, device=x.device)
        kept, outs = [], []
        for g in range(self.G):
            k, v = self.rope(self.k_heads[g](x), positions), self.v_heads[g](x)
            past_k, past_v = cache[g]
            if past_k is not None:
                k, v = torch.cat([past_k, k], 1), torch.cat([past_v, v], 1)
            kept.append((k, v))
            mask = visible(n, k.shape[1], x.device)
            for h in range(g * self.H // self.G, (g + 1) * self.H // self.G):
                q = self.rope(self.q_heads[h](x), positions)
                s = (q @ k.mT / self.d**0.5).masked_fill(~mask, -torch.inf)
                outs.append(s.softmax(-1) @ v)
        return self.merge(torch.cat(outs, -1)), tuple(kept)
