# wrong: v3 dropout-missing line 20
import math
import torch
import torch.nn as nn

class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        Q, K, V = self.query_proj(x), self.key_proj(x), self.value_proj(x)
        att = Q @ K.transpose(-1, -2) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float("-inf"))
        att = torch.softmax(att, dim=-1)
        return self.output_proj(att @ V)
