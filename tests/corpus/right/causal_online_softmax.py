# right: causal
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    """Flash-attention idea in plain python: running maximum and running sum over key columns."""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (y.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for y in self.in_proj(x).chunk(3, -1))
        q = q / (c // self.num_heads) ** 0.5
        acc = torch.zeros_like(q)
        top = torch.full_like(q[..., :1], float("-inf"))
        norm = torch.zeros_like(top)
        rows = torch.arange(t, device=x.device).view(t, 1)
        for j in range(t):
            s = (q * k[:, :, j : j + 1]).sum(-1, keepdim=True).masked_fill(rows < j, float("-inf"))
            new_top = torch.maximum(top, s).detach()
            shrink = torch.exp(top - new_top)
            p = torch.exp(s - new_top)
            acc = acc * shrink + p * v[:, :, j : j + 1]
            norm = norm * shrink + p
            top = new_top
        return self.out_proj((acc / norm).transpose(1, 2).flatten(2))
