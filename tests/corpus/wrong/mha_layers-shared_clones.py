# wrong: mha layers-shared line 19
# fair: layers-shared 10
import torch
from torch import nn
import torch.nn.functional as F


def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([module for _ in range(N)])


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super(MultiHeadAttention, self).__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.proj = clones(nn.Linear(hidden_dim, hidden_dim), 4)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        N, L, _ = x.shape
        to_q, to_k, to_v, to_out = self.proj
        q = to_q(x).reshape(N, L, self.num_heads, self.head_dim)
        k = to_k(x).reshape(N, L, self.num_heads, self.head_dim)
        v = to_v(x).reshape(N, L, self.num_heads, self.head_dim)

        energy = torch.einsum("nqhd,nkhd->nhqk", q, k) / self.head_dim ** 0.5
        if attention_mask is not None:
            energy = energy.masked_fill(attention_mask == 0, float("-inf"))

        attention = self.drop(F.softmax(energy, dim=-1))
        out = torch.einsum("nhql,nlhd->nqhd", attention, v)
        return to_out(out.reshape(N, L, self.hidden_dim))
