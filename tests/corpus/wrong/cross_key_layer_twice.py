# wrong: cross values-from-keys line 18
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, heads, embed_dim):
        super(CrossAttention, self).__init__()
        self.heads = heads
        self.head_dim = embed_dim // heads
        self.fc_value = nn.Linear(embed_dim, embed_dim, bias=False)
        self.fc_key = nn.Linear(embed_dim, embed_dim, bias=False)
        self.fc_query = nn.Linear(embed_dim, embed_dim, bias=False)
        self.fc_out = nn.Linear(embed_dim, embed_dim)

    def forward(self, values, keys, queries, mask=None):
        N = queries.shape[0]
        v = self.fc_key(values).reshape(N, -1, self.heads, self.head_dim)
        k = self.fc_key(keys).reshape(N, -1, self.heads, self.head_dim)
        q = self.fc_query(queries).reshape(N, -1, self.heads, self.head_dim)
        energy = torch.einsum("nqhd,nkhd->nhqk", q, k)
        if mask is not None:
            energy = energy.masked_fill(mask[:, None] == 0, float("-1e20"))
        attention = torch.softmax(energy / self.head_dim ** 0.5, dim=-1)
        return self.fc_out(torch.einsum("nhqk,nkhd->nqhd", attention, v).flatten(2))
