import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_k = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_v = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_o = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for w in self.parameters():
            nn.init.xavier_normal_(w)
        self.drop = nn.Dropout(dropout)
        self.attention_maps = None

    def forward(self, x, attention_mask=None):
        h = self.num_heads
        q = (x @ self.w_q).unflatten(2, (h, -1)).transpose(1, 2)
        k = (x @ self.w_k).unflatten(2, (h, -1)).transpose(1, 2)
        v = (x @ self.w_v).unflatten(2, (h, -1)).transpose(1, 2)
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        if attention_mask is not None:
            scores = torch.where(attention_mask.bool(), scores, float("-inf"))
        weights = torch.softmax(scores, dim=-1).detach()
        self.attention_maps = weights
        y = torch.einsum("bhij,bhjd->bihd", self.drop(weights), v)
        return y.flatten(2) @ self.w_o
