# wrong: mha softmax-over-heads line 25
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        n = self.num_heads
        q = self.q(x).view(b, t, n, c // n).swapaxes(1, 2)
        k = self.k(x).view(b, t, n, c // n).swapaxes(1, 2)
        v = self.v(x).view(b, t, n, c // n).swapaxes(1, 2)
        w = q @ k.swapaxes(2, 3) / (c // n) ** 0.5
        if attention_mask is not None:
            w = w.masked_fill(attention_mask == 0, -1e30)
        w = F.softmax(w, dim=1)
        return self.o((w @ v).swapaxes(1, 2).reshape(b, t, c))
