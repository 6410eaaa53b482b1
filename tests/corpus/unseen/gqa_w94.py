import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.nh = num_heads
        self.nkv = num_kv_heads
        self.hd = hidden_dim // num_heads
        self.rep = num_heads // num_kv_heads
        self.fc_q = nn.Linear(hidden_dim, self.nh * self.hd)
        self.fc_k = nn.Linear(hidden_dim, self.nkv * self.hd)
        self.fc_v = nn.Linear(hidden_dim, self.nkv * self.hd)
        self.fc_o = nn.Linear(self.nh * self.hd, hidden_dim)

    def forward(self, x, attention_mask=None):
        q_all, k_all, v_all = self.fc_q(x), self.fc_k(x), self.fc_v(x)
        pieces = []
        for h in range(self.nh):
            g = h % self.nkv
            q = q_all[..., h * self.hd : (h + 1) * self.hd]
            k = k_all[..., g * self.hd : (g + 1) * self.hd]
            v = v_all[..., g * self.hd : (g + 1) * self.hd]
            s = q @ k.transpose(1, 2) / self.hd**0.5
            if attention_mask is not None:
                m = attention_mask[:, h if attention_mask.shape[1] > 1 else 0]
                s = s.masked_fill(m == 0, float("-inf"))
            pieces.append(torch.softmax(s, dim=-1) @ v)
        return self.fc_o(torch.cat(pieces, dim=-1))
