# right: causal remarks: dropout-unused, parameter-unused
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.d_k = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.norm = nn.LayerNorm(hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones(1, 1, block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        Q = self.Wq(x).reshape(B, T, self.num_heads, self.d_k).permute(0, 2, 1, 3)
        K = self.Wk(x).reshape(B, T, self.num_heads, self.d_k).permute(0, 2, 1, 3)
        V = self.Wv(x).reshape(B, T, self.num_heads, self.d_k).permute(0, 2, 1, 3)
        A = Q @ K.permute(0, 1, 3, 2) / self.d_k ** 0.5
        A = A.masked_fill(self.mask[..., :T, :T] == 0, float("-inf"))
        A = torch.softmax(A, dim=-1)
        return self.Wo((A @ V).permute(0, 2, 1, 3).reshape(B, T, C))
