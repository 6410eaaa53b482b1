import math
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    # no mask tensor anywhere: query i simply looks at a slice of the keys
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.nh = num_heads
        self.block_size = block_size
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, C = x.shape
        hd = C // self.nh
        q = self.q(x).view(B, T, self.nh, hd).permute(0, 2, 1, 3)
        k = self.k(x).view(B, T, self.nh, hd).permute(0, 2, 3, 1)
        v = self.v(x).view(B, T, self.nh, hd).permute(0, 2, 1, 3)
        pieces = []
        for i in range(T):
            s = q[:, :, i : i + 1, :] @ k[..., : i + 1] / math.sqrt(hd)
            pieces.append(s.softmax(dim=-1) @ v[:, :, : i + 1, :])
        y = torch.cat(pieces, dim=2)
        return self.o(y.permute(0, 2, 1, 3).reshape(B, T, C))
