import torch
import torch.nn as nn


def split_heads(t, num_heads):
    # (batch, seq, depth * heads) -> (batch, heads, seq, depth)
    batch_size = t.shape[0]
    t = torch.reshape(t, (batch_size, t.shape[1], num_heads, -1))
    return torch.permute(t, (0, 2, 1, 3))


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.depth = hidden_dim // num_heads
        self.dense_q = nn.Linear(hidden_dim, hidden_dim)
        self.dense_k = nn.Linear(hidden_dim, hidden_dim)
        self.dense_v = nn.Linear(hidden_dim, hidden_dim)
        self.dense_out = nn.Linear(hidden_dim, hidden_dim)
        self.rate = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.dense_q(query), self.num_heads)
        k = split_heads(self.dense_k(key), self.num_heads)
        v = split_heads(self.dense_v(value), self.num_heads)
        logits = torch.matmul(q, torch.permute(k, (0, 1, 3, 2))) / self.depth ** 0.5
        if mask is not None:
            closed = torch.eq(mask, 0)[:, None]
            logits = torch.where(closed, torch.full_like(logits, torch.finfo(logits.dtype).min), logits)
        # softmax by hand, the largest logit of each row taken off first
        logits = logits - torch.amax(logits, dim=-1, keepdim=True)
        e = torch.exp(logits)
        weights = self.rate(e / torch.sum(e, dim=-1, keepdim=True))
        context = torch.permute(torch.matmul(weights, v), (0, 2, 1, 3))
        return self.dense_out(torch.reshape(context, query.shape))
