import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _shape(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, cache=None):
        b, n, d = x.shape
        q, k, v = self._shape(self.q_proj(x)), self._shape(self.k_proj(x)), self._shape(self.v_proj(x))
        if cache is not None:
            k = torch.cat([cache["k"], k], dim=2)
            v = torch.cat([cache["v"], v], dim=2)
        att = q @ k.transpose(-1, -2) * self.head_dim ** -0.5
        if cache is None:
            total = k.size(2)
            mask = torch.ones(n, total, dtype=torch.bool, device=x.device).tril(total - n)
            att = att.masked_fill(~mask, float("-inf"))
        out = F.softmax(att, dim=-1) @ v
        out = out.transpose(1, 2).reshape(b, n, d)
        return self.o_proj(out), {"k": k, "v": v}
