# wrong: mha forbidden-call line 9
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.attn = nn.MultiheadAttention(hidden_dim, num_heads, dropout=dropout, batch_first=True)
        self.num_heads = num_heads

    def forward(self, x, attention_mask=None):
        if attention_mask is not None:
            b, _, t, s = attention_mask.expand(-1, -1, x.size(1), -1).shape
            attention_mask = (attention_mask == 0).expand(b, self.num_heads, t, s).reshape(b * self.num_heads, t, s)
        y, _ = self.attn(x, x, x, attn_mask=attention_mask, need_weights=False)
        return y
