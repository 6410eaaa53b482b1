# attention from scratch, video 3
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.d = hidden_dim
        self.W_query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_value = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        batch_size, seq_len, _ = x.shape
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        # (B, T, C) x (B, C, T) -> (B, T, T)
        keys = keys.reshape(batch_size, self.d, seq_len)
        attn_scores = torch.bmm(queries, keys) / self.d**0.5
        attn_weights = F.softmax(attn_scores, dim=2)
        return torch.bmm(attn_weights, values)
