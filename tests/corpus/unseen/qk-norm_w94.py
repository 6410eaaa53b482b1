import torch
import torch.nn as nn


def attend(q, k, v):
    n = q.size(-2)
    logits = (q @ k.mT) * q.size(-1) ** -0.5
    logits = logits + torch.full((n, n), float("-inf"), dtype=q.dtype, device=q.device).triu(1)
    return logits.softmax(-1) @ v


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        for name in ("q", "k", "v", "o"):
            setattr(self, f"w{name}", nn.Linear(hidden_dim, hidden_dim, bias=False))
        self.query_norm = nn.RMSNorm(self.head_dim)
        self.key_norm = nn.RMSNorm(self.head_dim)

    def heads(self, t):
        return t.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)

    def forward(self, x):
        q = self.query_norm(self.heads(self.wq(x)))
        k = self.key_norm(self.heads(self.wk(x)))
        v = self.heads(self.wv(x))
        return self.wo(attend(q, k, v).transpose(1, 2).flatten(2))
