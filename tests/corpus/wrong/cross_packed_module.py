# wrong: cross forbidden-call line 10
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.attn = nn.MultiheadAttention(hidden_dim, num_heads, dropout=dropout, batch_first=True)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.repeat_interleave(self.num_heads, dim=0) == 0
        out, _ = self.attn(query, key, value, attn_mask=mask, need_weights=False)
        return out
