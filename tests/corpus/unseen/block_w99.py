import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.o = nn.Linear(width, width)

    def forward(self, u):
        q, k, v = (f(u).unflatten(-1, (self.heads, self.size)) for f in (self.q, self.k, self.v))
        logits = torch.einsum("bihd,bjhd->bhij", q, k) * self.size**-0.5
        n = u.shape[1]
        i = torch.arange(n, device=u.device)
        logits = torch.where(i[:, None] >= i, logits, torch.finfo(logits.dtype).min)
        return self.o(torch.einsum("bhij,bjhd->bihd", logits.softmax(-1), v).flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(hidden_dim)
        self.ln_2 = nn.LayerNorm(hidden_dim)
        self.attn = CausalAttention(hidden_dim, num_heads)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.Linear(4 * hidden_dim, hidden_dim),
            nn.GELU(),
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x
