# wrong: v3 dropout-rate-wrong line 13, mask-inverted line 19
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.scale = math.sqrt(hidden_dim)
        self.fc_qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.fc_out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(p=0.3)

    def forward(self, x, attention_mask=None):
        q, k, v = self.fc_qkv(x).chunk(3, dim=2)
        attn = q.bmm(k.transpose(1, 2)) / self.scale
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 1, -1e9)
        attn = self.drop(attn.softmax(dim=2))
        return self.fc_out(attn.bmm(v))
