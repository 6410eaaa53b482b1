# wrong: mha scale-without-sqrt line 23
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_dim, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.head_dim = embed_dim // heads
        self.wq = nn.Linear(embed_dim, embed_dim, bias=False)
        self.wk = nn.Linear(embed_dim, embed_dim, bias=False)
        self.wv = nn.Linear(embed_dim, embed_dim, bias=False)
        self.wo = nn.Linear(embed_dim, embed_dim)
        self.dropout = dropout

    def forward(self, x, mask=None):
        N, L, E = x.shape
        q = self.wq(x).reshape(N, L, self.heads, self.head_dim)
        k = self.wk(x).reshape(N, L, self.heads, self.head_dim)
        v = self.wv(x).reshape(N, L, self.heads, self.head_dim)
        energy = torch.einsum("nqhd,nkhd->nhqk", [q, k]) / self.head_dim
        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = F.dropout(torch.softmax(energy, dim=3), self.dropout, self.training)
        out = torch.einsum("nhql,nlhd->nqhd", [attention, v]).reshape(N, L, E)
        return self.wo(out)
