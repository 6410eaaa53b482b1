import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.H = num_heads
        self.hd = hidden_dim // num_heads
        self.block_size = block_size
        self.W_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.W_o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        B, N, D = x.shape
        # (B, N, 3, H, hd) -> (3, B, H, N, hd)
        q, k, v = self.W_qkv(x).reshape(B, N, 3, self.H, self.hd).permute(2, 0, 3, 1, 4)

        scores = torch.matmul(q, k.transpose(2, 3)) / self.hd ** 0.5
        scores = torch.tril(scores)
        scores = scores.masked_fill(scores == 0, float("-inf"))

        out = torch.matmul(scores.softmax(-1), v)
        return self.W_o(out.transpose(1, 2).reshape(B, N, D))
