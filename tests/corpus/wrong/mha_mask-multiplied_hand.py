# wrong: mha mask-multiplied line 30
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """다중 헤드 어텐션"""

    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.depth = d_model // num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, L, D = x.size()
        q = self.wq(x).view(B, L, self.num_heads, self.depth).permute(0, 2, 1, 3)
        k = self.wk(x).view(B, L, self.num_heads, self.depth).permute(0, 2, 3, 1)
        v = self.wv(x).view(B, L, self.num_heads, self.depth).permute(0, 2, 1, 3)

        # 어텐션 스코어
        logits = torch.matmul(q, k) / math.sqrt(self.depth)
        if mask is not None:
            logits *= mask
        attn = self.dropout(F.softmax(logits, dim=-1))

        out = torch.matmul(attn, v).permute(0, 2, 1, 3).reshape(B, L, D)
        return self.wo(out)
