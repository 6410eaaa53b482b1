import torch
from torch import nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.w_q = nn.Linear(hidden_dim, hidden_dim)
        self.w_k = nn.Linear(hidden_dim, hidden_dim)
        self.w_v = nn.Linear(hidden_dim, hidden_dim)
        self.w_o = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def forward(self, query, key, value, mask=None):
        bsz, tgt_len = query.shape[0], query.shape[1]
        src_len = key.shape[1]

        q = self.w_q(query).view(bsz, tgt_len, self.h, self.d).transpose(1, 2)
        k = self.w_k(key).view(bsz, src_len, self.h, self.d).permute(0, 2, 3, 1)
        v = self.w_v(torch.as_tensor(value.data)).view(bsz, src_len, self.h, self.d).transpose(1, 2)

        logits = torch.matmul(q, k) * (self.d ** -0.5)
        if mask is not None:
            blocked = mask.eq(0).unsqueeze(1).expand(-1, self.h, -1, -1)
            logits = logits.masked_fill(blocked, float('-inf'))
        weights = F.dropout(F.softmax(logits, -1), self.p, self.training)

        out = torch.matmul(weights, v).transpose(1, 2).reshape(bsz, tgt_len, self.h * self.d)
        return self.w_o(out)
