# wrong: v3 parameters-not-registered line 10
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.project = [nn.Linear(hidden_dim, hidden_dim) for _ in range(4)]
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        to_q, to_k, to_v, to_out = (layer.to(x) for layer in self.project)
        s = to_q(x) @ to_k(x).transpose(1, 2) / self.hidden_dim ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        return to_out(self.drop(s.softmax(-1)) @ to_v(x))
