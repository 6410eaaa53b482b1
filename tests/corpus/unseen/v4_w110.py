import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def attention_weights(self, scores, attention_mask):
        if attention_mask is not None:
            scores = torch.where(attention_mask.bool(), scores, torch.finfo(scores.dtype).min)
        # softmax spelled out, with the usual max trick
        shifted = scores - scores.max(dim=-1, keepdim=True).values
        unnormalised = self.dropout(shifted.exp())
        total = unnormalised.sum(dim=-1, keepdim=True).clamp_min(torch.finfo(scores.dtype).tiny)
        return unnormalised / total

    def forward(self, x, attention_mask=None):
        query, key, value = self.query_proj(x), self.key_proj(x), self.value_proj(x)
        scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
        return self.attention_weights(scores, attention_mask) @ value
