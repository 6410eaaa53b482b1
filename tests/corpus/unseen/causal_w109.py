import torch
from torch import nn

class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h, self.w = num_heads, nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        q, k, v = self.w(x).unflatten(2, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
        a = (q @ k.mT * q.size(-1) ** -0.5).softmax(-1).tril()
        return (a @ v).transpose(1, 2).flatten(2)
