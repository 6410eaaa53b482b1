# wrong: causal causal-sees-next line 19
"""sliding into the future by one"""
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads, max_len):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)
        self.register_buffer("pos", torch.arange(max_len))

    def forward(self, x):
        n = x.size(1)
        q, k, v = self.qkv(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        pos = self.pos[:n]
        blocked = pos[None, :] > pos[:, None] + 1
        w = (q @ k.mT * q.size(-1) ** -0.5).masked_fill(blocked, -torch.inf).softmax(-1)
        return self.out((w @ v).movedim(1, 2).flatten(2))
