# right: v4
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """Masks through the logarithm: log 1 = 0 keeps a score, log 0 = -inf removes it."""

    def __init__(self, hidden_dim, dropout_rate=0.1):
        super().__init__()
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.dropout = nn.Dropout(dropout_rate)

    def forward(self, x, attention_mask=None):
        Q, K, V = torch.split(self.proj(x), x.shape[-1], dim=-1)
        logits = Q @ K.transpose(-2, -1) * (x.shape[-1] ** (-1 / 2))
        if attention_mask is not None:
            logits = logits + attention_mask.to(logits.dtype).log()
        return self.dropout(logits.softmax(-1)) @ V
