# right: cross
import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    """OpenNMT-like naming; the heads are cut out of the features with unfold"""

    def __init__(self, model_dim, head_count, dropout=0.1):
        super().__init__()
        self.head_count = head_count
        self.dim_per_head = model_dim // head_count
        self.linear_keys = nn.Linear(model_dim, model_dim)
        self.linear_values = nn.Linear(model_dim, model_dim)
        self.linear_query = nn.Linear(model_dim, model_dim)
        self.softmax = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(dropout)
        self.final_linear = nn.Linear(model_dim, model_dim)
        self.drop_out = nn.Dropout(dropout)

    def shape(self, t):
        # (B, T, D) -> (B, T, H, d) -> (B, H, T, d)
        return t.unfold(2, self.dim_per_head, self.dim_per_head).transpose(1, 2)

    def unshape(self, t):
        return torch.cat([t[:, h] for h in range(self.head_count)], -1)

    def forward(self, query, key, value, mask=None):
        q = self.shape(self.linear_query(query)) / math.sqrt(self.dim_per_head)
        k, v = self.shape(self.linear_keys(key)), self.shape(self.linear_values(value))
        scores = torch.matmul(q, k.transpose(2, 3))
        if mask is not None:
            mask = mask.unsqueeze(1).expand_as(scores)
            scores = scores.masked_fill(mask.logical_not(), -1e18)
        attn = self.dropout(self.softmax(scores))
        return self.drop_out(self.final_linear(self.unshape(torch.matmul(attn, v))))
