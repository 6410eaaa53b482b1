# wrong: mha mask-ignored line 31, heads-merge-without-transpose line 37
# fair: mask-ignored 31 33
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """多头自注意力 (手写)"""

    def __init__(self, hidden_dim, nums_head, dropout_rate=0.1):
        super().__init__()
        self.nums_head = nums_head
        self.head_dim = hidden_dim // nums_head
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout_rate)

    def forward(self, X, attention_mask=None):
        # X: (b, s, h)
        b, s, _ = X.size()
        Q, K, V = self.q_proj(X), self.k_proj(X), self.v_proj(X)
        # (b, s, h) -> (b, head_num, s, head_dim)
        q_state = Q.view(b, s, self.nums_head, self.head_dim).permute(0, 2, 1, 3)
        k_state = K.view(b, s, self.nums_head, self.head_dim).transpose(1, 2)
        v_state = V.view(b, s, self.nums_head, self.head_dim).transpose(1, 2)
        w = q_state @ k_state.transpose(-1, -2) / self.head_dim ** 0.5
        if attention_mask is not None:
            w_masked = w.masked_fill(attention_mask == 0, float("-1e20"))
        # 归一化
        w = torch.softmax(w, dim=-1)
        w = self.att_dropout(w)
        mid = w @ v_state
        # 还原形状
        mid = mid.contiguous().view(b, s, self.hidden_dim)
        return self.o_proj(mid)
