import numpy as np
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    # every head has its own little query matrix, all look at the same k and v
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        hd = hidden_dim // num_heads
        self.queries = nn.ModuleList([nn.Linear(hidden_dim, hd, bias=False)] * num_heads)
        self.key = nn.Linear(hidden_dim, hd, bias=False)
        self.value = nn.Linear(hidden_dim, hd, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.inv_sqrt = float(1.0 / np.sqrt(hd))

    def forward(self, x, attention_mask=None):
        K = self.key(x)
        V = self.value(x)
        Q = torch.stack([f(x) for f in self.queries], axis=1)        # B,H,T,hd
        A = Q @ K[:, np.newaxis].swapaxes(-1, -2) * self.inv_sqrt    # B,H,T,T
        if attention_mask is not None:
            A = torch.where(attention_mask == 0, -np.inf, A)
        A = torch.exp(A - A.amax(axis=-1, keepdims=True))
        A = A / A.sum(axis=-1, keepdims=True)
        out = A @ V[:, np.newaxis]
        out = torch.concatenate([out[:, h] for h in range(out.shape[1])], axis=-1)
        return self.proj(out)
