# right: v4
import torch, torch.nn as nn, torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1, **kwargs):
        super().__init__()
        if kwargs:
            raise TypeError(f"what is {sorted(kwargs)}?")
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj_out = nn.Linear(hidden_dim, hidden_dim)
        self.rate = dropout

    def forward(self, x, attention_mask=None):
        q, k, v = self.c_attn(x).chunk(3, -1)
        wei = q @ k.mT / q.size(-1) ** 0.5
        if attention_mask is not None:
            wei = wei.masked_fill_(~attention_mask, float("-inf"))
        wei = F.dropout(F.softmax(wei, dim=-1), self.rate, self.training)
        return self.proj_out(wei @ v)
