import torch
from torch import nn


class LlamaBlock(nn.Module):
    """Everything in one forward, einsum letters: b batch, t/s positions, g kv head, r query head of it."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.H, self.G, self.D = num_heads, num_kv_heads, hidden_dim // num_heads
        self.norm1 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.norm2 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.wq = nn.Linear(hidden_dim, self.H * self.D, bias=False)
        self.wkv = nn.Linear(hidden_dim, 2 * self.G * self.D, bias=False)
        self.wo = nn.Linear(self.H * self.D, hidden_dim, bias=False)
        self.w13 = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.w2 = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def forward(self, x, cos, sin):
        B, T, _ = x.shape
        u = self.norm1(x)
        q = self.wq(u).view(B, T, self.G, self.H // self.G, self.D)
        k, v = self.wkv(u).view(B, T, 2, self.G, self.D).unbind(2)

        c, s = cos[:, None], sin[:, None]
        k1, k2 = k.chunk(2, -1)
        k = torch.cat([k1 * c - k2 * s, k2 * c + k1 * s], -1)
        c, s = c[:, None], s[:, None]
        q1, q2 = q.chunk(2, -1)
        q = torch.cat([q1 * c - q2 * s, q2 * c + q1 * s], -1)

        att = torch.einsum("btgrd,bsgd->bgrts", q, k) * self.D**-0.5
        ahead = torch.full((T, T), float("-inf"), dtype=att.dtype, device=x.device).triu(1)
        att = (att + ahead).softmax(-1)
        h = x + self.wo(torch.einsum("bgrts,bsgd->btgrd", att, v).reshape(B, T, -1))

        gate, up = self.w13(self.norm2(x)).chunk(2, -1)
        return h + self.w2(gate * torch.sigmoid(gate) * up)
