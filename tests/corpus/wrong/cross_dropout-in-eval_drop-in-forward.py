# wrong: cross dropout-in-eval line 22
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.rate = dropout
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.Wq(query), self.Wk(key), self.Wv(value)
        q, k, v = (t.view(t.size(0), t.size(1), self.num_heads, -1).transpose(1, 2) for t in (q, k, v))
        s = torch.einsum("bhtd,bhsd->bhts", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            s = s + (mask[:, None] == 0) * -1e9
        a = nn.Dropout(self.rate)(s.softmax(-1))
        y = torch.einsum("bhts,bhsd->bthd", a, v)
        return self.Wo(y.reshape(query.shape))
