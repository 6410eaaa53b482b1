import torch
from torch import nn


def attend(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-1, -2)) * q.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~(mask.bool()), float("-inf"))
    return torch.matmul(torch.softmax(scores, -1), v)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert not hidden_dim % num_heads
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv = nn.Linear(hidden_dim, 2 * self.head_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        b, s, e = x.shape
        q = self.q(x).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
        k, v = self.kv(x)[:, None].chunk(2, dim=-1)
        y = attend(q, k, v, attention_mask)
        return self.out(y.reshape(b, s, e))
