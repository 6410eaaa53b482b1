# wrong: v3 mask-fill-small line 22
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_size, attn_dropout=0.1):
        super().__init__()
        self.hidden_size = hidden_size
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)
        self.attn_dropout = nn.Dropout(attn_dropout)

    def forward(self, hidden_states, attention_mask=None):
        q = self.query(hidden_states)
        k = self.key(hidden_states)
        v = self.value(hidden_states)
        scores = torch.matmul(q, k.transpose(-1, -2)) / (self.hidden_size ** 0.5)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -1e-9)
        probs = self.attn_dropout(torch.softmax(scores, dim=-1))
        return self.dense(torch.matmul(probs, v))
