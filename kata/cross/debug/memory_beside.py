from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def heads(self, x):
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None, memory=None):
        if memory is not None:
            key = value = memory
        q, k, v = self.heads(self.q(query)), self.heads(self.k(key)), self.heads(self.v(value))
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, -1e4)
        p = self.drop(s.softmax(-1))
        out = (p @ v).transpose(1, 2).flatten(2)
        return self.o(out)
