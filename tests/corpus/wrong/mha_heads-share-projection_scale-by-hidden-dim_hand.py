# wrong: mha heads-share-projection line 13, scale-by-hidden-dim line 30
# fair: heads-share-projection 13 14 15 16 22 23 24
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_size, heads):
        super().__init__()
        self.embed_size = embed_size
        self.heads = heads
        self.head_dim = embed_size // heads
        per_head = self.head_dim
        self.values = nn.Linear(per_head, per_head, bias=False)
        self.keys = nn.Linear(per_head, per_head, bias=False)
        self.queries = nn.Linear(per_head, per_head, bias=False)
        self.fc_out = nn.Linear(heads * self.head_dim, embed_size)

    def forward(self, values, keys, query, mask):
        N, query_len = query.shape[:2]

        values = self.values(values.unflatten(-1, (self.heads, self.head_dim)))
        keys = self.keys(keys.unflatten(-1, (self.heads, self.head_dim)))
        queries = self.queries(query.unflatten(-1, (self.heads, self.head_dim)))

        energy = torch.einsum("nqhd,nkhd->nhqk", queries, keys)
        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-1e20"))

        attention = torch.softmax(energy / (self.embed_size ** (1 / 2)), dim=3)
        out = torch.einsum("nhql,nlhd->nqhd", attention, values).reshape(N, query_len, -1)
        return self.fc_out(out)
