# wrong: v3 mask-after-softmax line 20
import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedSelfAttention(nn.Module):
    def __init__(self, embed_dim, attn_pdrop=0.1):
        super().__init__()
        self.q = nn.Linear(embed_dim, embed_dim, bias=False)
        self.k = nn.Linear(embed_dim, embed_dim, bias=False)
        self.v = nn.Linear(embed_dim, embed_dim, bias=False)
        self.o = nn.Linear(embed_dim, embed_dim, bias=False)
        self.attn_pdrop = attn_pdrop

    def forward(self, x, attention_mask=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        attn = F.softmax(q @ k.transpose(-2, -1) * q.size(-1) ** -0.5, dim=-1)
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 0, 0.0)
        attn = F.dropout(attn, self.attn_pdrop, self.training)
        return self.o(attn @ v)
