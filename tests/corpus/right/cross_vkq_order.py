# right: cross
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, heads, embed_dim):
        super(CrossAttention, self).__init__()
        assert embed_dim % heads == 0
        self.heads, self.embed_dim = heads, embed_dim
        self.head_dim = embed_dim // heads
        self.fc_value = nn.Linear(embed_dim, embed_dim, bias=False)
        self.fc_key = nn.Linear(embed_dim, embed_dim, bias=False)
        self.fc_query = nn.Linear(embed_dim, embed_dim, bias=False)
        self.fc_out = nn.Linear(embed_dim, embed_dim)

    def forward(self, values, keys, queries, mask):
        batch, n_queries = queries.shape[:2]
        v = self.fc_value(values).reshape(batch, -1, self.heads, self.head_dim)
        k = self.fc_key(keys).reshape(batch, -1, self.heads, self.head_dim)
        q = self.fc_query(queries).reshape(batch, -1, self.heads, self.head_dim)
        energy = torch.einsum("bqhd,bkhd->bhqk", q, k)
        if mask is not None:
            # (batch, n_queries, n_keys) -> the same for every head
            mask = mask[:, None].expand(-1, self.heads, -1, -1)
            energy = torch.where(mask != 0, energy, energy.new_full((), -1e12))
        alpha = F.softmax(energy / self.head_dim ** 0.5, dim=-1)
        mixed = torch.einsum("bhqk,bkhd->bqhd", alpha, v)
        return self.fc_out(mixed.reshape(batch, n_queries, self.embed_dim))
