import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    """Single-head self-attention.

    Steps, as I would say them aloud:
      1. project the input three times,
      2. compare every query with every key,
      3. rule out the forbidden pairs,
      4. normalise, thin out, average the values.
    """

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.w_query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.thin = nn.Dropout(dropout)
        self.hidden_dim = hidden_dim

    def forward(self, x, attention_mask=None):
        queries = self.w_query(x)
        keys = self.w_key(x)
        values = self.w_value(x)

        # baddbmm: penalty + alpha * Q K^T in one call, the mask as an additive penalty
        alpha = self.hidden_dim**-0.5
        batch, length, _ = x.shape
        penalty = torch.zeros(batch, length, length, dtype=queries.dtype, device=x.device)
        if attention_mask is not None:
            penalty.masked_fill_(attention_mask.eq(0), -float("inf"))
        scores = torch.baddbmm(penalty, queries, keys.transpose(1, 2), alpha=alpha)
        return torch.bmm(self.thin(scores.softmax(dim=-1)), values)
