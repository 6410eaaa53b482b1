import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.n_head = num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        # B, T, nh, hs
        q = q.view(B, T, self.n_head, -1)
        k = k.view(B, T, self.n_head, -1)
        v = v.view(B, T, self.n_head, -1)

        keys, values = k, v
        if cache is not None:
            keys = torch.cat([cache["k"], k], dim=1)
            values = torch.cat([cache["v"], v], dim=1)
        S = keys.size(1)

        att = torch.einsum("bthd,bshd->bhts", q, keys) / (C // self.n_head) ** 0.5
        rows = torch.arange(S - T, S, device=x.device)[:, None]
        cols = torch.arange(S, device=x.device)[None, :]
        att = att.masked_fill(cols > rows, float("-inf"))
        att = F.softmax(att, dim=-1)

        y = torch.einsum("bhts,bshd->bthd", att, values).reshape(B, T, C)
        return self.c_proj(y), {"k": k, "v": v}
