# wrong: v4 mask-fill-small line 5
import torch
import torch.nn as nn

NEG = -1e-9


class SelfAttentionV4(nn.Module):
    def __init__(self, d_model, drop_prob=0.1):
        super().__init__()
        self.linear_q = nn.Linear(d_model, d_model)
        self.linear_k = nn.Linear(d_model, d_model)
        self.linear_v = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(drop_prob)

    def forward(self, x, attention_mask=None):
        score = self.linear_q(x) @ self.linear_k(x).transpose(-2, -1) / x.size(-1) ** 0.5
        if attention_mask is not None:
            score = score.masked_fill(attention_mask == 0, NEG)
        return self.drop(torch.softmax(score, -1)) @ self.linear_v(x)
