# attn-kata: causal
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    """因果多头自注意力: 第 i 个位置只能看到 0..i"""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_size = hidden_dim // num_heads

        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

        # 下三角为 1
        self.tril = torch.tril(torch.ones(block_size, block_size))

    def split_heads(self, t):
        B, T, _ = t.shape
        return t.view(B, T, self.num_heads, self.head_size).transpose(1, 2)

    def forward(self, x):
        B, T, C = x.shape
        q = self.split_heads(self.query(x))
        k = self.split_heads(self.key(x))
        v = self.split_heads(self.value(x))

        wei = q @ k.transpose(-2, -1) * self.head_size ** -0.5      # (B, nh, T, T)
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float('-inf'))
        wei = F.softmax(wei, dim=-1)

        out = wei @ v                                               # (B, nh, T, hs)
        out = out.transpose(1, 2).reshape(B, T, C)
        return self.proj(out)
