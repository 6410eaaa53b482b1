# wrong: causal fused-view-without-transpose line 17
import math
import torch
from torch import nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, 3, self.h, n, self.d).unbind(dim=1)
        s = q @ k.mT / math.sqrt(self.d)
        s = s.masked_fill(torch.ones(n, n, device=x.device).triu(1).bool(), -torch.inf)
        out = (s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c)
        return self.o(out)
