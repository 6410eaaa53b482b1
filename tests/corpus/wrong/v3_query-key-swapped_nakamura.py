# wrong: v3 query-key-swapped line 19
# fair: query-key-swapped 18, 19
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = torch.matmul(key, query.transpose(-1, -2)) / x.size(-1) ** 0.5
        if attention_mask is not None:
            # マスクが0の位置は見ない
            scores = scores.masked_fill(attention_mask == 0, float('-inf'))
        attn = self.drop(F.softmax(scores, dim=-1))
        return self.output(torch.matmul(attn, value))
