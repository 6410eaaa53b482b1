# wrong: causal mask-not-buffer line 14
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.tril = torch.tril(torch.ones(block_size, block_size))

    def forward(self, x):
        B, T, _ = x.shape
        h, d = self.num_heads, self.hidden_dim // self.num_heads
        Q, K, V = self.qkv_proj(x).split(self.hidden_dim, -1)
        Q = Q.contiguous().view(B, T, h, d).transpose(1, 2)
        K = K.contiguous().view(B, T, h, d).transpose(1, 2)
        V = V.contiguous().view(B, T, h, d).transpose(1, 2)
        wei = torch.einsum("bhqd,bhkd->bhqk", Q, K) * d ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = F.softmax(wei, -1)
        return self.out_proj(torch.einsum("bhqk,bhkd->bhqd", wei, V).transpose(1, 2).reshape(B, T, h * d))
