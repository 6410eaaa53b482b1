# right: mha
import math
import torch
import torch.nn as nn

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, attention_dropout=0.1):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.nums_head = nums_head
        self.hidden_dim = hidden_dim
        self.head_dim = hidden_dim // nums_head

        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(attention_dropout)

    def forward(self, X, attention_mask=None):
        # X: (b, s, h)
        bs, sl, _ = X.size()
        q_state = self.q_proj(X).view(bs, sl, self.nums_head, self.head_dim).permute(0, 2, 1, 3)
        k_state = self.k_proj(X).view(bs, sl, self.nums_head, self.head_dim).permute(0, 2, 1, 3)
        v_state = self.v_proj(X).view(bs, sl, self.nums_head, self.head_dim).permute(0, 2, 1, 3)

        w = torch.matmul(q_state, k_state.transpose(-1, -2)) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            w = w.masked_fill(attention_mask == 0, float('-1e20'))
        w = self.att_dropout(torch.softmax(w, dim=3))

        out = (w @ v_state).transpose(1, 2).contiguous().view(bs, sl, -1)
        return self.o_proj(out)
