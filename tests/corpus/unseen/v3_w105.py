import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    """Single head; fused input projection, masked softmax, dropout, output layer."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.in_proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        query, key, value = torch.tensor_split(self.in_proj(x), 3, dim=2)
        energy = torch.matmul(query, key.mT).mul(self.hidden_dim**-0.5)
        if attention_mask is not None:
            floor = torch.finfo(energy.dtype).tiny
            energy = energy.masked_fill(attention_mask == 0, floor)
        probs = self.attn_drop(torch.softmax(energy, dim=-1))
        return self.out_proj(torch.matmul(probs, value))
