import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.units = hidden_dim
        self.keep_prob = 1.0 - dropout
        self.dense_q = nn.Linear(self.units, self.units)
        self.dense_k = nn.Linear(self.units, self.units)
        self.dense_v = nn.Linear(self.units, self.units)
        self.dense_o = nn.Linear(self.units, self.units)
        self.attn_dropout = nn.Dropout(self.keep_prob)

    def compute_logits(self, x, attention_mask):
        logits = torch.matmul(self.dense_q(x), self.dense_k(x).permute(0, 2, 1))
        logits = logits / self.units**0.5
        if attention_mask is None:
            return logits
        blocked = attention_mask.to(logits.dtype) == 0
        return logits.masked_fill(blocked, float("-inf"))

    def forward(self, x, attention_mask=None):
        probs = torch.softmax(self.compute_logits(x, attention_mask), dim=-1)
        probs = self.attn_dropout(probs)
        return self.dense_o(torch.matmul(probs, self.dense_v(x)))
