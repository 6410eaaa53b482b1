# wrong: mha projection-unused line 15
import torch
from einops import rearrange
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(emb_size, emb_size)
        self.key = nn.Linear(emb_size, emb_size)
        self.value = nn.Linear(emb_size, emb_size)
        self.att_drop = nn.Dropout(dropout)
        self.projection = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        queries = rearrange(self.query(x), "b n (h d) -> b h n d", h=self.num_heads)
        keys = rearrange(self.key(x), "b n (h d) -> b h n d", h=self.num_heads)
        values = rearrange(self.value(x), "b n (h d) -> b h n d", h=self.num_heads)
        energy = torch.einsum("bhqd, bhkd -> bhqk", queries, keys)
        if mask is not None:
            energy = energy.masked_fill(mask == 0, torch.finfo(energy.dtype).min)
        att = torch.softmax(energy * queries.shape[-1] ** -0.5, dim=-1)
        out = torch.einsum("bhal, bhlv -> bhav", self.att_drop(att), values)
        return rearrange(out, "b h n d -> b n (h d)")
