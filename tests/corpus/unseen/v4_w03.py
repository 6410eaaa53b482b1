# attn-kata: v4
import math

import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """Rewritten from the TensorFlow version of the paper's code."""

    def __init__(self, hidden_dim, dropout=0.1):
        super(SelfAttentionV4, self).__init__()
        self.depth = hidden_dim
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.keep_prob = 1.0 - dropout
        self.attention_dropout = nn.Dropout(self.keep_prob)

    def forward(self, x, attention_mask=None):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        matmul_qk = torch.matmul(q, k.transpose(-1, -2))
        scaled_attention_logits = matmul_qk / math.sqrt(self.depth)
        if attention_mask is not None:
            scaled_attention_logits = scaled_attention_logits.masked_fill(attention_mask == 0, float("-inf"))
        attention_weights = torch.softmax(scaled_attention_logits, dim=-1)
        attention_weights = self.attention_dropout(attention_weights)
        return self.dense(torch.matmul(attention_weights, v))
