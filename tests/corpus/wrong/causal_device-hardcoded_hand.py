# wrong: causal device-hardcoded line 20
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.block_size = block_size
        self.to_qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.to_qkv(x).view(batch, length, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        dots = (q @ k.mT) * self.head_dim ** -0.5
        causal = torch.ones(length, length).tril() == 0
        dots = dots.masked_fill(causal, torch.finfo(dots.dtype).min)
        attn = dots.softmax(dim=-1)
        out = (attn @ v).permute(0, 2, 1, 3).reshape(batch, length, width)
        return self.to_out(out)
