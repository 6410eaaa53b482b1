# wrong: v4 mask-transposed line 20
import torch
import torch.nn as nn


class SelfAttentionInterview(nn.Module):
    def __init__(self, hidden_dim, dropout_rate=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q_net = nn.Linear(hidden_dim, hidden_dim)
        self.k_net = nn.Linear(hidden_dim, hidden_dim)
        self.v_net = nn.Linear(hidden_dim, hidden_dim)
        self.o_net = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout_rate)

    def forward(self, x, attention_mask=None):
        q, k, v = self.q_net(x), self.k_net(x), self.v_net(x)
        w = q @ k.mT / (self.hidden_dim ** 0.5)
        if attention_mask is not None:
            w = w.masked_fill(attention_mask.swapaxes(1, 2) == 0, float("-inf"))
        w = torch.softmax(w, dim=-1)
        w = self.attn_drop(w)
        return self.o_net(w @ v)
