# wrong: v3 mask-inverted line 25
# time first inside; attn_mask marks what must not be seen
import torch
from torch import nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, embed_dim, dropout=0.1):
        super().__init__()
        self.scaling = embed_dim ** -0.5
        self.dropout = dropout
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.k_proj = nn.Linear(embed_dim, embed_dim)
        self.v_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, attn_mask=None):
        x = x.transpose(0, 1)
        q = (self.q_proj(x) * self.scaling).transpose(0, 1)
        k = self.k_proj(x).transpose(0, 1)
        v = self.v_proj(x).transpose(0, 1)
        attn_weights = torch.bmm(q, k.transpose(1, 2))
        if attn_mask is not None:
            attn_weights = attn_weights.masked_fill(attn_mask.to(torch.bool), float("-inf"))
        attn_probs = F.dropout(F.softmax(attn_weights, dim=-1), p=self.dropout, training=self.training)
        attn = torch.bmm(attn_probs, v).transpose(0, 1)
        return self.out_proj(attn).transpose(0, 1)
