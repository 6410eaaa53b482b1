from torch import nn
import torch


class CausalSelfAttention(nn.Module):
    """Projections as 1x1 convolutions, heads found in the channels."""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.qkv = nn.Conv1d(hidden_dim, 3 * hidden_dim, kernel_size=1)
        order = torch.arange(block_size)
        # True where key (row) is visible to query (column): scores below are (key, query)
        self.register_buffer("visible", order[:, None] <= order[None, :], persistent=False)

    def forward(self, x):
        t = x.shape[1]
        q, k, v = self.qkv(x.mT).unflatten(1, (3, self.h, -1)).unbind(1)  # (b, h, d, t)
        s = k.mT @ (q * q.shape[2] ** -0.5)  # (b, h, key, query)
        s = torch.where(self.visible[:t, :t], s, float("-inf"))
        w = torch.softmax(s, dim=-2)
        return (v @ w).flatten(1, 2).mT
