# wrong: mha scale-by-hidden-dim line 26
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.nums_head = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X, attention_mask=None):
        batch, seq_len, _ = X.size()
        q_state = self.q_proj(X).view(batch, seq_len, self.nums_head, self.head_dim).permute(0, 2, 1, 3)
        k_state = self.k_proj(X).view(batch, seq_len, self.nums_head, self.head_dim).transpose(1, 2)
        v_state = self.v_proj(X).view(batch, seq_len, self.nums_head, self.head_dim).transpose(1, 2)

        # 主要 qk 计算顺序，除以的是 head_dim 还是 hidden_dim ？
        att_weight = q_state @ k_state.transpose(-1, -2) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            att_weight = att_weight.masked_fill(attention_mask == 0, float("-inf"))
        att_weight = self.att_dropout(torch.softmax(att_weight, dim=3))
        out = (att_weight @ v_state).transpose(1, 2).contiguous().view(batch, seq_len, -1)
        return self.out_proj(out)
