# right: mha remarks: nan-on-empty-row
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Every head has its own three little layers; python does the looping."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.queries = nn.ModuleList()
        self.keys = nn.ModuleList()
        self.values = nn.ModuleList()
        for _ in range(num_heads):
            self.queries.append(nn.Linear(hidden_dim, self.head_dim))
            self.keys.append(nn.Linear(hidden_dim, self.head_dim))
            self.values.append(nn.Linear(hidden_dim, self.head_dim))
        self.combine = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        outputs = []
        for h in range(self.num_heads):
            q = self.queries[h](x)
            k = self.keys[h](x)
            v = self.values[h](x)
            scores = torch.bmm(q, k.transpose(1, 2)) / self.head_dim ** 0.5
            if attention_mask is not None:
                # the heads axis may be 1 (shared by all heads)
                this_head = attention_mask[:, h if attention_mask.size(1) > 1 else 0]
                scores = scores.masked_fill(this_head == 0, float("-inf"))
            weights = self.dropout(torch.softmax(scores, dim=2))
            outputs.append(torch.bmm(weights, v))
        return self.combine(torch.cat(outputs, dim=2))
