# wrong: v4 scale-missing line 16, mask-transposed line 18
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, embed_dim, dropout=0.1):
        super().__init__()
        self.embed_dim = embed_dim
        self.attn_dropout = dropout
        self.in_proj = nn.Linear(embed_dim, 3 * embed_dim)

    def forward(self, x, attn_mask=None):
        q, k, v = self.in_proj(x).split([self.embed_dim] * 3, dim=-1)
        w = torch.bmm(q, k.transpose(1, 2))
        if attn_mask is not None:
            w = w.masked_fill(attn_mask.mT == 0, torch.finfo(w.dtype).min)
        w = F.dropout(F.softmax(w, dim=-1), p=self.attn_dropout, training=self.training)
        return torch.bmm(w, v)
