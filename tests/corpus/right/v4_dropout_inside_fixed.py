# right: v4
import torch
from torch import nn
from torch.nn.functional import softmax


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q, self.k, self.v = [nn.Linear(hidden_dim, hidden_dim, bias=b) for b in (True, False, True)]
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("root", torch.tensor(float(hidden_dim)).sqrt())

    def forward(self, x, attention_mask=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        attn = q.bmm(k.permute(0, 2, 1)) / self.root
        if attention_mask is None:
            attention_mask = torch.ones(x.shape[0], x.shape[1], x.shape[1], device=x.device)
        attn = attn.masked_fill(attention_mask < 0.5, float("-inf"))
        attn = softmax(attn, dim=-1)
        return self.dropout(attn).bmm(v)
