# right: block
import math, torch
from torch import nn
import torch.nn.functional as F
def aug(x):
    return torch.cat([x, torch.ones_like(x[..., :1])], -1)
class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim
        self.h = num_heads
        self.weights = nn.ParameterList([nn.Parameter(torch.randn(a, b) * 0.02) for a, b in
            [(d + 1, 3 * d), (d + 1, d), (d + 1, 4 * d), (4 * d + 1, d), (2, d), (2, d)]])
    def forward(self, x):
        W = self.weights
        B, T, D = x.shape
        def norm(x, gb):
            m = x.mean(-1, keepdim=True)
            v = x.var(-1, keepdim=True, unbiased=False)
            return (x - m) / torch.sqrt(v + 1e-5) * gb[0] + gb[1]
        qkv = aug(norm(x, W[4])) @ W[0]
        q, k, v = [t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in qkv.chunk(3, -1)]
        s = q @ k.mT / math.sqrt(q.shape[-1])
        s = s + torch.full((T, T), float("-inf"), device=x.device, dtype=x.dtype).triu(1)
        x = x + aug((s.softmax(-1) @ v).transpose(1, 2).flatten(2)) @ W[1]
        return x + aug(F.gelu(aug(norm(x, W[5])) @ W[2])) @ W[3]
