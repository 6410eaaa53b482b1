# wrong: v3 mask-ignored line 19, dropout-before-softmax line 20
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)
        self.scale = dim ** -0.5

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        dots = torch.einsum('bid,bjd->bij', q, k) * self.scale
        if attention_mask is not None:
            torch.where(attention_mask.bool(), dots, torch.finfo(dots.dtype).min)
        attn = F.softmax(self.dropout(dots), dim=-1)
        out = torch.einsum('bij,bjd->bid', attn, v)
        return self.to_out(out)
