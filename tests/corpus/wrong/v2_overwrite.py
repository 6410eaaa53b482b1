# wrong: v2 input-modified line 16
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    """saves one allocation by writing the result where the input was"""

    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        attn = (q @ k.mT / q.shape[-1] ** 0.5).softmax(dim=-1)
        x.copy_(attn @ v)
        return x
