# wrong: mha heads-share-projection line 11
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_size, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.head_dim = embed_size // heads
        self.queries = nn.Linear(self.head_dim, self.head_dim, bias=False)
        self.keys = nn.Linear(self.head_dim, self.head_dim, bias=False)
        self.values = nn.Linear(self.head_dim, self.head_dim, bias=False)
        self.fc_out = nn.Linear(embed_size, embed_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        N, T, E = x.shape
        parts = x.reshape(N, T, self.heads, self.head_dim)
        q, k, v = self.queries(parts), self.keys(parts), self.values(parts)
        energy = torch.einsum("nqhd,nkhd->nhqk", q, k) / self.head_dim ** 0.5
        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = self.drop(torch.softmax(energy, dim=-1))
        return self.fc_out(torch.einsum("nhqk,nkhd->nqhd", attention, v).flatten(2))
