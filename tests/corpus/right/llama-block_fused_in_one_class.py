# right: llama-block
import torch
from torch import nn


class LlamaBlock(nn.Module):
    """Everything in one class; q, k and v in one projection, gate and up in another."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = d = hidden_dim // num_heads
        self.widths = [num_heads * d, num_kv_heads * d, num_kv_heads * d]
        self.norm1 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.qkv = nn.Linear(hidden_dim, sum(self.widths), bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.norm2 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.gate_up = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def forward(self, x, cos, sin):
        b, t, e = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(self.widths, dim=-1)
        q = q.view(b, t, self.num_kv_heads, -1, self.head_dim)
        k = k.view(b, t, self.num_kv_heads, 1, self.head_dim)
        v = v.view(b, t, self.num_kv_heads, self.head_dim)
        c, s = cos.view(t, 1, 1, -1), sin.view(t, 1, 1, -1)

        def turn(u):
            half = u.shape[-1] // 2
            left, right = u[..., :half], u[..., half:]
            return torch.cat([left * c - right * s, right * c + left * s], -1)

        q, k = turn(q), turn(k).squeeze(3)
        att = torch.einsum("btgrd,bsgd->bgrts", q, k) * self.head_dim**-0.5
        att = att.masked_fill(torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        y = torch.einsum("bgrts,bsgd->btgrd", att.softmax(-1), v).reshape(b, t, e)
        x = x + self.proj(y)
        gate, up = self.gate_up(self.norm2(x)).chunk(2, dim=-1)
        return x + self.down(gate * torch.sigmoid(gate) * up)
