# wrong: v4 nondeterministic line 17
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden = hidden_dim
        self.proj_in = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj_out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.proj_in(x).chunk(3, dim=-1)
        score = torch.einsum("bqd,bkd->bqk", q, k) / self.hidden ** 0.5
        score = score + torch.randn_like(score) * 1e-2
        if attention_mask is not None:
            score = score.masked_fill(attention_mask == 0, -1e9)
        attn = self.dropout(torch.softmax(score, -1))
        return self.proj_out(torch.einsum("bqk,bkd->bqd", attn, v))
