# right: mha remarks: fill-overflows-half, dropout-not-applied
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, embed_size, heads):
        super(SelfAttention, self).__init__()
        self.embed_size = embed_size
        self.heads = heads
        self.head_dim = embed_size // heads
        assert self.head_dim * heads == embed_size, "embed size must be a multiple of heads"
        self.values = nn.Linear(embed_size, embed_size, bias=False)
        self.keys = nn.Linear(embed_size, embed_size, bias=False)
        self.queries = nn.Linear(embed_size, embed_size, bias=False)
        self.fc_out = nn.Linear(embed_size, embed_size)

    def forward(self, values, keys, query, mask):
        N = query.shape[0]
        v_len, k_len, q_len = values.shape[1], keys.shape[1], query.shape[1]
        values = self.values(values).reshape(N, v_len, self.heads, self.head_dim)
        keys = self.keys(keys).reshape(N, k_len, self.heads, self.head_dim)
        queries = self.queries(query).reshape(N, q_len, self.heads, self.head_dim)

        energy = torch.einsum("nqhd,nkhd->nhqk", [queries, keys])
        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = torch.softmax(energy / (self.head_dim ** 0.5), dim=3)
        out = torch.einsum("nhql,nlhd->nqhd", [attention, values])
        return self.fc_out(out.reshape(N, q_len, self.heads * self.head_dim))
