import math
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        keep_prob = 1.0 - dropout
        self.q_layer = nn.Linear(hidden_dim, hidden_dim)
        self.k_layer = nn.Linear(hidden_dim, hidden_dim)
        self.v_layer = nn.Linear(hidden_dim, hidden_dim)
        self.o_layer = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(keep_prob)
        self.rsqrt_d = 1 / math.sqrt(hidden_dim)

    def forward(self, x, attention_mask=None):
        logits = torch.matmul(self.q_layer(x), self.k_layer(x).transpose(1, 2)) * self.rsqrt_d
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, float("-inf"))
        probs = self.attn_drop(torch.softmax(logits, dim=-1))
        return self.o_layer(torch.matmul(probs, self.v_layer(x)))
