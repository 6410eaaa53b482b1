# wrong: cross dropout-rate-wrong line 14, norm-added line 24
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(0.5)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.to_q(query), self.to_k(key), self.to_v(value)
        q, k, v = (t.unflatten(2, (self.h, -1)).transpose(1, 2) for t in (q, k, v))
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        o = self.drop(torch.softmax(s, -1)) @ v
        o = self.to_out(o.transpose(1, 2).flatten(2))
        return nn.functional.layer_norm(o + query, o.shape[-1:])
