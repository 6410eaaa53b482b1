import torch
from torch import nn
from torch.nn import functional as F


class LlamaBlock(nn.Module):
    """Everything in one forward."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        width = num_kv_heads * (hidden_dim // num_heads)
        self.norm1 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.norm2 = nn.RMSNorm(hidden_dim, 1e-5)
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, width, bias=False)
        self.v = nn.Linear(hidden_dim, width, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gate = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.up = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        heads, shared = self.num_heads, self.num_kv_heads
        size = width // heads

        y = self.norm1(x)
        q = self.q(y).reshape(batch, length, heads, size).movedim(2, 1)
        k = self.k(y).reshape(batch, length, shared, size).movedim(2, 1)
        v = self.v(y).reshape(batch, length, shared, size).movedim(2, 1)

        cos = cos.repeat_interleave(2, dim=-1)
        sin = sin.repeat_interleave(2, dim=-1)
        q = q * cos + torch.cat((-q[..., size // 2:], q[..., :size // 2]), -1) * sin
        k = k * cos + torch.cat((-k[..., size // 2:], k[..., :size // 2]), -1) * sin

        k = k.unsqueeze(2).expand(-1, -1, heads // shared, -1, -1).flatten(1, 2)
        v = v.unsqueeze(2).expand(-1, -1, heads // shared, -1, -1).flatten(1, 2)
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / size ** 0.5
        causal = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        weights = F.softmax(scores.where(causal, -torch.inf), dim=-1)
        mixed = torch.einsum("bhij,bhjd->bihd", weights, v).reshape(batch, length, width)
        h = x + self.o(mixed)

        y = self.norm2(h)
        return h + self.down(F.silu(self.gate(y)) * self.up(y))
