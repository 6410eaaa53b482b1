# wrong: causal causal-excludes-self line 24
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """一个位置一个位置地算，不需要 mask。"""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.block_size = block_size
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, n, d = x.shape
        qkv = self.qkv(x).view(b, n, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)        # 每个都是 (b, h, n, hd)

        rows = []
        for i in range(n):
            end = max(i, 1)            # 至少看一个 key
            s = (k[:, :, :end] @ q[:, :, i, :, None]).squeeze(-1)
            w = torch.softmax(s / self.head_dim ** 0.5, dim=-1)
            rows.append((w.unsqueeze(-1) * v[:, :, :end]).sum(dim=2))
        context = torch.stack(rows, dim=1)          # (b, n, h, hd)
        return self.out(context.reshape(b, n, d))
