# wrong: v3 mask-inverted line 19
import torch
from torch import nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        att = torch.einsum("bqc,bkc->bqk", q, k) * q.size(-1) ** -0.5
        if attention_mask is not None:
            nothing = torch.full_like(att, -torch.inf)
            att = torch.where(attention_mask.bool(), nothing, att)
        att = F.dropout(att.softmax(dim=-1), self.p, self.training)
        return self.proj(torch.einsum("bqk,bkc->bqc", att, v))
