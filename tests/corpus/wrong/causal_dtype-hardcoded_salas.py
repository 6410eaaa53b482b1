# wrong: causal dtype-hardcoded line 19
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        # en float32 para mayor estabilidad
        s = (q.float() @ k.float().mT) / q.shape[-1] ** 0.5
        s = s + torch.full((t, t), float("-inf"), device=x.device).triu(1)
        y = s.softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(b, t, c))
