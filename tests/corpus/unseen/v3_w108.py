import math
import torch
import torch.nn as nn


class AttentionDropout(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.keep_prob = 1.0 - rate

    def forward(self, probs):
        if not self.training or self.keep_prob == 1.0:
            return probs
        keep = torch.bernoulli(torch.full_like(probs, self.keep_prob))
        return probs * keep


class SelfAttentionV3(nn.Module):
    """Single head, in the manner of a Keras layer: build the pieces, then call them."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.units = hidden_dim
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.dropout = AttentionDropout(dropout)

    def call(self, inputs, mask):
        matmul_qk = torch.matmul(self.wq(inputs), self.wk(inputs).transpose(1, 2))
        scaled_attention_logits = matmul_qk / math.sqrt(self.units)
        if mask is not None:
            penalty = torch.zeros_like(scaled_attention_logits)
            penalty.masked_fill_(mask == 0, float("-inf"))
            scaled_attention_logits = scaled_attention_logits + penalty
        attention_weights = torch.softmax(scaled_attention_logits, dim=-1)
        attention_weights = self.dropout(attention_weights)
        return self.wo(torch.matmul(attention_weights, self.wv(inputs)))

    def forward(self, x, attention_mask=None):
        return self.call(x, attention_mask)
