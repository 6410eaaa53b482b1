import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """多头注意力"""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads

        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        batch, seq_len, hidden_dim = x.size()

        # 拆成多个头: (batch, heads, seq_len, head_dim)
        q = self.q_proj(x).view(batch, self.num_heads, seq_len, self.head_dim)
        k = self.k_proj(x).view(batch, self.num_heads, seq_len, self.head_dim)
        v = self.v_proj(x).view(batch, self.num_heads, seq_len, self.head_dim)

        att = q @ k.transpose(-1, -2) * self.head_dim ** -0.5
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float("-inf"))
        att = torch.softmax(att, dim=-1)
        att = self.attn_dropout(att)

        # 合并所有的头
        y = (att @ v).transpose(1, 2).reshape(batch, seq_len, hidden_dim)
        return self.o_proj(y)
