# wrong: mha view-needs-contiguous line 26 (error)
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.hidden_dim, self.num_heads = hidden_dim, num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, attention_mask=None):
        B, L, _ = X.shape
        Q = self.q_proj(X).view(B, L, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        K = self.k_proj(X).view(B, L, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        V = self.v_proj(X).view(B, L, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        A = Q @ K.transpose(-1, -2) / self.head_dim ** 0.5
        if attention_mask is not None:
            A = A.masked_fill(attention_mask == 0, float("-inf"))
        O = self.dropout(A.softmax(dim=-1)) @ V
        O = O.permute(0, 2, 1, 3).view(B, L, self.hidden_dim)
        return self.o_proj(O)
