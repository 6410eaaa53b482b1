import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.n_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.fc_q = nn.Linear(hidden_dim, hidden_dim)
        self.fc_k = nn.Linear(hidden_dim, hidden_dim)
        self.fc_v = nn.Linear(hidden_dim, hidden_dim)
        self.fc_o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        bsz, length, width = query.shape

        def heads(t):
            # (B, L, H*d) -> (B, H, L, d)
            return t.view(bsz, length, self.n_heads, self.head_dim).transpose(1, 2)

        Q = heads(self.fc_q(query))
        K = heads(self.fc_k(key))
        V = heads(self.fc_v(value))

        energy = torch.matmul(Q, K.permute(0, 1, 3, 2)) / self.head_dim ** 0.5
        if mask is not None:
            energy = energy.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(energy.dtype).min)
        attention = self.dropout(torch.softmax(energy, dim=-1))
        x = torch.matmul(attention, V)
        x = x.permute(0, 2, 1, 3).reshape(bsz, length, width)
        return self.fc_o(x)
