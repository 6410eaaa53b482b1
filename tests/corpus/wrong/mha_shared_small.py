# wrong: mha heads-share-projection line 21
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, embed_size, heads):
        super(SelfAttention, self).__init__()
        self.embed_size = embed_size
        self.heads = heads
        self.head_dim = embed_size // heads
        width = self.head_dim
        self.values = nn.Linear(width, width, bias=False)
        self.keys = nn.Linear(width, width, bias=False)
        self.queries = nn.Linear(width, width, bias=False)
        self.fc_out = nn.Linear(embed_size, embed_size)

    def forward(self, values, keys, queries, mask):
        shape = (queries.shape[0], -1, self.heads, self.head_dim)
        # split the embedding into the pieces, one for each head
        q, k, v = self.queries(queries.reshape(shape)), self.keys(keys.reshape(shape)), self.values(values.reshape(shape))
        energy = torch.einsum("nqhd,nkhd->nhqk", [q, k])
        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = torch.softmax(energy / (self.head_dim ** (1 / 2)), dim=3)
        out = torch.einsum("nhqk,nkhd->nqhd", [attention, v])
        return self.fc_out(out.flatten(2))
