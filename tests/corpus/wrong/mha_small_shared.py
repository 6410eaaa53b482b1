# wrong: mha heads-share-projection line 12
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_size, heads, dropout=0.0):
        super(MultiHeadAttention, self).__init__()
        self.embed_size = embed_size
        self.heads = heads
        self.head_dim = embed_size // heads
        self.values = nn.Linear(self.head_dim, self.head_dim, bias=False)
        self.keys = nn.Linear(self.head_dim, self.head_dim, bias=False)
        self.queries = nn.Linear(self.head_dim, self.head_dim, bias=False)
        self.fc_out = nn.Linear(embed_size, embed_size)

    def forward(self, x, mask=None):
        N, length, _ = x.shape
        x = x.reshape(N, length, self.heads, self.head_dim)
        values = self.values(x)
        keys = self.keys(x)
        queries = self.queries(x)
        energy = torch.einsum("nqhd,nkhd->nhqk", queries, keys)
        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = torch.softmax(energy / self.head_dim ** 0.5, dim=3)
        out = torch.einsum("nhqk,nkhd->nqhd", attention, values).reshape(N, length, self.embed_size)
        return self.fc_out(out)
