# right: causal
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        visible = torch.ones(block_size, block_size, dtype=torch.bool).tril()
        self.register_buffer("visible", visible)

    def forward(self, x):
        B, T, D = x.shape
        assert T <= self.visible.size(0), f"{T} tokens do not fit in a block of {self.visible.size(0)}"
        q, k, v = self.in_proj(x).view(B, T, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = torch.where(self.visible[:T, :T], scores, float("-inf"))
        return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
