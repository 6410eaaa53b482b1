# wrong: v3 output-projection-missing line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        w = torch.bmm(q, k.transpose(1, 2)) / q.size(2) ** 0.5
        if attention_mask is not None:
            w = w.masked_fill(attention_mask.logical_not(), float("-inf"))
        w = self.dropout(F.softmax(w, dim=2))
        return torch.bmm(w, v)
