import math
import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    """多查询注意力：所有查询头共用一个键头和一个值头"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.W_q = nn.Linear(hidden_dim, hidden_dim)      # 每个头都有自己的 Q
        self.W_k = nn.Linear(hidden_dim, self.head_dim)   # 只有一个 K 头
        self.W_v = nn.Linear(hidden_dim, self.head_dim)   # 只有一个 V 头
        self.W_o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        batch, seq_len, _ = x.shape

        # 投影
        Q = self.W_q(x).view(batch, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        K = self.W_k(x).unsqueeze(1)   # (batch, 1, seq_len, head_dim)
        V = self.W_v(x).unsqueeze(1)

        # 计算分数，K 在头的维度上广播
        scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(self.head_dim)

        # 掩码
        if attention_mask is not None:
            scores = scores * attention_mask

        attn = torch.softmax(scores, dim=-1)
        out = torch.matmul(attn, V)

        # 合并所有头
        out = out.transpose(1, 2).contiguous().view(batch, seq_len, -1)
        return self.W_o(out)
