# right: mqa
from torch import nn


class OneKeyHead(nn.Module):
    def __init__(self, model_dim, heads):
        super().__init__()
        self.heads, self.size = heads, model_dim // heads
        self.q, self.k = nn.Linear(model_dim, model_dim), nn.Linear(model_dim, self.size)
        self.v, self.o = nn.Linear(model_dim, self.size), nn.Linear(model_dim, model_dim)

    def forward(self, q, k, v, attn_mask=None):
        q = self.q(q).unflatten(-1, (self.heads, self.size)).transpose(1, 2)
        k, v = self.k(k)[:, None], self.v(v)[:, None]
        scores = q @ k.transpose(-2, -1) * self.size**-0.5
        if attn_mask is not None:
            scores = scores.masked_fill(attn_mask == 0, float("-inf"))
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
