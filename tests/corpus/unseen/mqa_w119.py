import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    """多个查询头，共用一个键头和一个值头"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, self.head_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    @staticmethod
    def prepare_mask(attention_mask):
        # 统一成布尔型，True 表示可以看
        keep = attention_mask != 0
        if keep.size(2) == 1:
            # (batch, 1, 1, length) 的填充掩码，扩展成方阵
            keep = keep & keep.transpose(2, 3)
        return keep

    def forward(self, x, attention_mask=None):
        batch_size, seq_len, hidden_dim = x.shape

        # 查询：(batch, heads, length, head_dim)
        q = self.q_proj(x).view(batch_size, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        # 键和值：(batch, 1, length, head_dim)
        k = self.k_proj(x)[:, None]
        v = self.v_proj(x)[:, None]

        # 缩放点积
        scores = torch.matmul(q, k.transpose(-2, -1)) / (self.head_dim ** 0.5)
        if attention_mask is not None:
            scores = scores.masked_fill(~self.prepare_mask(attention_mask), torch.finfo(scores.dtype).min)

        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, v)

        # 合并各个头
        context = context.transpose(1, 2).contiguous().view(batch_size, seq_len, hidden_dim)
        return self.out_proj(context)
