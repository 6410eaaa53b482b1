# wrong: v4 mask-transposed line 19, dropout-missing line 21
# fair: dropout-missing 12 20 21
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.att_drop = nn.Dropout(dropout)

    def forward(self, X, attention_mask=None):
        Q, K, V = self.proj(X).split(self.hidden_dim, dim=-1)
        att = torch.einsum("btd,bsd->bts", Q, K) / self.hidden_dim ** 0.5
        if attention_mask is not None:
            hidden = attention_mask == 0
            att = att.masked_fill(hidden.transpose(1, 2), -1e20)
        att = torch.softmax(att, dim=-1)
        return torch.einsum("bts,bsd->btd", att, V)
