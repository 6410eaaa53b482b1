import math
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.dropout_layer = nn.Dropout(dropout)
        self.sqrt_d = math.sqrt(hidden_dim)

    def compute_weights(self, Q, K, attention_mask):
        weights = Q.bmm(K.transpose(1, 2)).div(self.sqrt_d)
        if attention_mask:
            weights = weights.masked_fill(attention_mask == 0, torch.finfo(weights.dtype).min)
        return self.dropout_layer(weights.softmax(2))

    def forward(self, x, attention_mask=None):
        Q = self.query_layer(x)
        K = self.key_layer(x)
        V = self.value_layer(x)
        return self.compute_weights(Q, K, attention_mask).bmm(V)
