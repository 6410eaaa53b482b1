# wrong: mqa length-fixed line 24
import torch
from torch import nn

CONTEXT_LENGTH = 200


class MultiQueryAttention(nn.Module):
    """Numbers its positions from a table whose length stands in the file."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, self.head_dim)
        self.v = nn.Linear(hidden_dim, self.head_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("zeros", torch.zeros(CONTEXT_LENGTH, CONTEXT_LENGTH), persistent=False)

    def forward(self, x, attention_mask=None):
        length = x.shape[1]
        q = self.q(x).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
        scores = q @ self.k(x)[:, None].mT / self.head_dim**0.5
        scores = scores + self.zeros[:length, :length].to(scores.dtype)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        out = scores.softmax(-1) @ self.v(x)[:, None]
        return self.o(out.transpose(1, 2).flatten(2))
