import torch
import torch.nn.functional as F
from torch import nn


class TransformerBlock(nn.Module):
    """Pre-norm block. The hidden triangle is kept and made larger when a longer input comes."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.ln1, self.ln2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)
        self.register_buffer("visible", torch.zeros(0, 0, dtype=torch.bool), persistent=False)

    def _visible(self, n, device):
        have = self.visible.size(0)
        if have == 0:
            self.visible = torch.ones(n, n, dtype=torch.bool, device=device).tril()
        elif n > have:
            self.visible = F.pad(self.visible, (0, n - have, 0, n - have), value=True)
        return self.visible[:n, :n]

    def _attention(self, z):
        b, n, c = z.shape
        q, k, v = self.wqkv(z).view(b, n, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(q, k.transpose(-1, -2)) * self.d ** -0.5
        scores = scores.masked_fill(self._visible(n, z.device).logical_not(), float("-inf"))
        return self.wo(torch.matmul(scores.softmax(-1), v).transpose(1, 2).reshape(b, n, c))

    def forward(self, x):
        x = x + self._attention(self.ln1(x))
        return x + self.down(F.gelu(self.up(self.ln2(x))))
