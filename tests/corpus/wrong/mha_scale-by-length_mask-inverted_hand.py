# wrong: mha scale-by-length line 21, mask-inverted line 23
import math
import torch
from torch import nn, Tensor


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads = num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask=None) -> Tensor:
        B, T, D = x.shape
        q, k, v = (w(x).reshape(B, T, self.num_heads, -1).permute(0, 2, 1, 3) for w in (self.Wq, self.Wk, self.Wv))
        k = k.transpose(-1, -2)
        energy = q @ k / math.sqrt(k.size(-1))
        if attention_mask is not None:
            energy = torch.where(attention_mask > 0, torch.full_like(energy, -1e9), energy)
        alpha = self.drop(energy.softmax(-1))
        return self.Wo((alpha @ v).permute(0, 2, 1, 3).reshape(B, T, D))
