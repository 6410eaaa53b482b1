import torch
from torch import nn
import torch.nn.functional as F


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.h, self.g, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        init = lambda *s: nn.Parameter(torch.randn(*s) * s[-1] ** -0.5)
        self.Wq = init(num_heads * self.d, hidden_dim)
        self.Wk = init(num_kv_heads * self.d, hidden_dim)
        self.Wv = init(num_kv_heads * self.d, hidden_dim)
        self.Wo = init(hidden_dim, hidden_dim)
        self.Wgate, self.Wup = init(mlp_dim, hidden_dim), init(mlp_dim, hidden_dim)
        self.Wdown = init(hidden_dim, mlp_dim)
        self.attn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.ffn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)

    def forward(self, x, cos, sin):
        u = self.attn_norm(x)
        q = F.linear(u, self.Wq).unflatten(-1, (self.h, self.d)).transpose(1, 2)
        k = F.linear(u, self.Wk).unflatten(-1, (self.g, self.d)).transpose(1, 2)
        v = F.linear(u, self.Wv).unflatten(-1, (self.g, self.d)).transpose(1, 2)
        rot = lambda a, b: torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)
        q = rot(*q.split(self.d // 2, dim=-1))
        k = rot(*k.split(self.d // 2, dim=-1))
        r = self.h // self.g
        k = k.repeat(1, r, 1, 1)
        v = v.repeat(1, r, 1, 1)
        pos = torch.arange(x.shape[1], device=x.device)
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) / self.d**0.5
        s = torch.where(pos[:, None] >= pos, s, torch.finfo(s.dtype).min)
        y = torch.einsum("bhqk,bhkd->bqhd", s.softmax(-1), v).flatten(2)
        x = x + F.linear(y, self.Wo)
        u = self.ffn_norm(x)
        return x + F.linear(F.silu(F.linear(u, self.Wgate)) * F.linear(u, self.Wup), self.Wdown)
