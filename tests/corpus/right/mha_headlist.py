# right: mha
import torch
from torch import nn
import torch.nn.functional as F


def scaled_dot_product(query, key, value, mask=None, dropout=None):
    dim_k = query.size(-1)
    scores = torch.bmm(query, key.transpose(1, 2)) / dim_k ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights.bmm(value)


class AttentionHead(nn.Module):
    def __init__(self, embed_dim, head_dim, dropout):
        super().__init__()
        self.query = nn.Linear(embed_dim, head_dim)
        self.key = nn.Linear(embed_dim, head_dim)
        self.value = nn.Linear(embed_dim, head_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden_state, mask=None):
        return scaled_dot_product(
            self.query(hidden_state), self.key(hidden_state), self.value(hidden_state), mask, self.dropout
        )


class MultiHead(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.heads = nn.ModuleList([AttentionHead(hidden_dim, head_dim, dropout) for _ in range(num_heads)])
        self.output_linear = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, hidden_state, attention_mask=None):
        outs = []
        for i, head in enumerate(self.heads):
            mask = attention_mask
            if mask is not None and mask.dim() == 4:
                mask = mask[:, i if mask.size(1) > 1 else 0]
            outs.append(head(hidden_state, mask))
        return self.output_linear(torch.cat(outs, dim=-1))
