# right: v4
# one layer for q, one for k and v together; only the value path has an output bias
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.kv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.attn_drop = nn.Dropout(dropout)
        self.register_buffer("scale", torch.tensor(hidden_dim ** 0.5), persistent=False)

    def forward(self, x, attention_mask=None):
        q = self.q(x)
        k, v = self.kv(x).chunk(2, dim=-1)
        attn = (q @ k.transpose(-2, -1)) / self.scale
        if attention_mask is not None:
            keep = attention_mask.type(torch.bool)
            attn = attn.masked_fill(keep.logical_not(), -60000.0)
        attn = attn.softmax(dim=-1)
        return self.proj(self.attn_drop(attn) @ v)
