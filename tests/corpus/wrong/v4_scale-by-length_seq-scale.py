# wrong: v4 scale-by-length line 16
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.fused = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dp = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        bsz, seq, dim = x.shape
        q, k, v = torch.chunk(self.fused(x), 3, dim=-1)
        scores = torch.bmm(q, k.transpose(1, 2))
        scores *= seq ** -0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.logical_not(), -1e4)
        return torch.bmm(self.dp(scores.softmax(dim=-1)), v)
