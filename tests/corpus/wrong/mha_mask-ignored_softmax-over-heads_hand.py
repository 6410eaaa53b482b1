# wrong: mha mask-ignored line 27, softmax-over-heads line 30
# fair: mask-ignored 27 30
import torch
import torch.nn as nn
import torch.nn.functional as F


class MHA(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads
        self.w_query = nn.Linear(hidden_dim, hidden_dim)
        self.w_key = nn.Linear(hidden_dim, hidden_dim)
        self.w_value = nn.Linear(hidden_dim, hidden_dim)
        self.w_out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, s, d = x.shape
        q = self.w_query(x).view(b, s, self.nh, self.hd).transpose(1, 2)
        k = self.w_key(x).view(b, s, self.nh, self.hd).transpose(1, 2)
        v = self.w_value(x).view(b, s, self.nh, self.hd).transpose(1, 2)

        score = torch.matmul(q, k.transpose(-2, -1)) / (self.hd ** 0.5)
        if attention_mask is not None:
            masked_score = score.masked_fill(attention_mask == 0, torch.finfo(score.dtype).min)
        else:
            masked_score = score
        prob = F.softmax(score, dim=1)
        out = torch.matmul(self.dropout(prob), v)
        return self.w_out(out.transpose(1, 2).reshape(b, s, d))
