"""Self-attention, time-major inside (the layout of our speech toolkit: T, B, C)."""
import math

import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.embed_dim = hidden_dim
        self.scaling = 1.0 / math.sqrt(hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        bsz, tgt_len, channels = x.size()
        x = x.transpose(0, 1)                       # T x B x C

        q = self.q_proj(x) * self.scaling
        k = self.k_proj(x)
        v = self.v_proj(x)

        attn = torch.einsum("tbc,sbc->bts", q, k)   # B x T x S
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask.to(torch.bool).logical_not(), float("-inf"))
        attn = attn.softmax(-1)
        attn = self.attn_dropout(attn)

        y = torch.einsum("bts,sbc->tbc", attn, v)   # T x B x C
        y = self.out_proj(y)
        return y.reshape(bsz, tgt_len, channels)
