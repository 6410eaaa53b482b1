# wrong: cross mask-reshaped line 29
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    """Scores are kept key-major here: (batch, heads, source, target)."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.q_from_target = nn.Linear(hidden_dim, hidden_dim)
        self.k_from_source = nn.Linear(hidden_dim, hidden_dim)
        self.v_from_source = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        batch, target_len, width = query.shape
        source_len = key.shape[1]
        hd = width // self.num_heads
        q = self.q_from_target(query).view(batch, target_len, self.num_heads, hd)
        k = self.k_from_source(key).view(batch, source_len, self.num_heads, hd)
        v = self.v_from_source(value).view(batch, source_len, self.num_heads, hd)

        scores = torch.einsum("bshd,bthd->bhst", k, q) * hd ** -0.5
        if mask is not None:
            mask = mask.reshape(batch, 1, source_len, target_len)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = self.dropout(torch.softmax(scores, dim=2))

        context = torch.einsum("bhst,bshd->bthd", weights, v)
        return self.out(context.reshape(batch, target_len, width))
