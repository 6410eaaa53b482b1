# right: mha
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    # concat + W_O is the same as adding up what each head writes through its own slice of W_O
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        H = self.num_heads
        size = x.size(-1) // H
        total = torch.zeros_like(x)
        parts = zip(*(t.split(size, dim=-1) for t in (self.q(x), self.k(x), self.v(x))), self.out.weight.split(size, 1))
        for h, (q, k, v, w) in enumerate(parts):
            s = q @ k.mT / size ** 0.5
            if attention_mask is not None:
                m = attention_mask[:, h if attention_mask.size(1) > 1 else 0]
                s = s.masked_fill(m == 0, float("-inf"))
            total = total + (s.softmax(-1) @ v) @ w.T
        return total
