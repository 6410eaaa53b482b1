# wrong: cross key-viewed-by-query-length line 21 (error)
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, embed_size, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.head_dim = embed_size // heads
        self.q = nn.Linear(embed_size, embed_size)
        self.k = nn.Linear(embed_size, embed_size)
        self.v = nn.Linear(embed_size, embed_size)
        self.o = nn.Linear(embed_size, embed_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, values, keys, query, mask=None):
        N, length = query.shape[:2]
        queries, keys, values = self.q(query), self.k(keys), self.v(values)
        queries = queries.reshape(N, length, self.heads, self.head_dim)
        keys = keys.reshape(N, length, self.heads, self.head_dim)
        values = values.reshape(N, length, self.heads, self.head_dim)
        energy = torch.einsum("nqhd,nkhd->nhqk", queries, keys) / self.head_dim ** 0.5
        if mask is not None:
            energy = energy.masked_fill(mask[:, None] == 0, float("-1e20"))
        attention = self.dropout(torch.softmax(energy, dim=3))
        return self.o(torch.einsum("nhqk,nkhd->nqhd", attention, values).reshape(N, length, -1))
