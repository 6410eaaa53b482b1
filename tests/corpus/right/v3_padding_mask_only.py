# right: v3 remarks: mask-form, fill-overflows-half
# padding mask (batch, seq_len): 1 for tokens, 0 for padding
import math
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)
        self.hidden_dim = hidden_dim

    def forward(self, x, attention_mask=None):
        scores = torch.bmm(self.q_proj(x), self.k_proj(x).transpose(1, 2))
        scores = scores / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            batch, seq_len = attention_mask.shape
            keep = attention_mask.view(batch, 1, seq_len)
            scores = scores.masked_fill(keep == 0, -1e9)
        weights = self.attn_dropout(scores.softmax(dim=-1))
        return self.o_proj(torch.bmm(weights, self.v_proj(x)))
