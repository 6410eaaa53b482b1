# wrong: v4 scale-by-length line 15, mask-multiplied line 17
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, model_dim, dropout=0.1):
        super().__init__()
        self.w = nn.Linear(model_dim, model_dim * 3, bias=False)
        self.d = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.w(x).tensor_split(3, dim=-1)
        k = k.transpose(1, 2)
        a = torch.bmm(q, k).div(k.shape[-1] ** 0.5)
        if attention_mask is not None:
            a = a.mul(attention_mask)
        a = self.d(a.softmax(-1))
        return torch.bmm(a, v)
