# right: v4
import math
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """Takes the tokenizer's attention mask as it comes: (B, T), 1 for a token and 0 for padding."""

    def __init__(self, d_model, drop_prob=0.1):
        super().__init__()
        self.linear_q = nn.Linear(d_model, d_model)
        self.linear_k = nn.Linear(d_model, d_model)
        self.linear_v = nn.Linear(d_model, d_model)
        self.linear_out = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(drop_prob)
        self.d_model = d_model

    def forward(self, x, attention_mask=None):
        q, k, v = self.linear_q(x), self.linear_k(x), self.linear_v(x)
        score = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_model)
        if attention_mask is not None:
            if attention_mask.dim() != 2:
                raise ValueError("attention_mask must be (batch, length)")
            score = score.masked_fill(attention_mask[:, None, :] == 0, float("-inf"))
        prob = self.drop(torch.softmax(score, dim=-1))
        return self.linear_out(torch.matmul(prob, v))
