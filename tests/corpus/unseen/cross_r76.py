import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.size = hidden_dim // num_heads
        # each head gets its own small layers
        self.q = nn.ModuleList()
        self.k = nn.ModuleList()
        self.v = nn.ModuleList()
        for _ in range(num_heads):
            self.q.append(nn.Linear(hidden_dim, self.size))
            self.k.append(nn.Linear(hidden_dim, self.size))
            self.v.append(nn.Linear(hidden_dim, self.size))
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        """
        query: decoder states, key/value: encoder states
        mask: 1 for the encoder tokens which may be looked at
        """
        outputs = []
        for h in range(self.num_heads):
            q = self.q[h](query)
            k = self.k[h](key)
            v = self.v[h](value)
            scores = torch.zeros(q.shape[0], q.shape[1], k.shape[1], dtype=q.dtype, device=q.device)
            for dim in range(self.size):
                scores = scores + q[:, :, dim].unsqueeze(2) * k[:, :, dim].unsqueeze(1)
            scores = scores / self.size ** 0.5
            if mask is None:
                weights = torch.softmax(scores, 2)
            else:
                weights = torch.softmax(scores.masked_fill(mask == False, float("-inf")), 2)  # noqa: E712
            weights = self.dropout(weights)
            outputs.append(torch.matmul(weights, v))
        return self.o(torch.cat(outputs, dim=-1))
