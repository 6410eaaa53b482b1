# wrong: cross query-key-swapped line 18
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.output_layer = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.key_layer(query), self.query_layer(key), self.value_layer(value)
        q, k, v = (torch.stack(t.chunk(self.num_heads, dim=-1), 1) for t in (q, k, v))
        logits = torch.matmul(q, k.mT) / q.size(-1) ** 0.5
        if mask is not None:
            logits = logits.masked_fill(mask[:, None].logical_not(), float("-inf"))
        p = F.dropout(logits.softmax(dim=-1), self.dropout, self.training)
        return self.output_layer(torch.cat(list((p @ v).unbind(1)), dim=-1))
