# wrong: mha activation-added line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, num_units, num_heads, dropout_rate=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.dropout_rate = dropout_rate
        self.Q_proj = nn.Linear(num_units, num_units)
        self.K_proj = nn.Linear(num_units, num_units)
        self.V_proj = nn.Linear(num_units, num_units)
        self.O_proj = nn.Linear(num_units, num_units)
        self.output_dropout = nn.Dropout(p=dropout_rate)

    def forward(self, x, mask=None):
        Q = self.Q_proj(x)
        K = self.K_proj(x)
        V = F.relu(self.V_proj(x))

        # (h*N, T, C/h)
        Q_ = torch.cat(torch.chunk(Q, self.num_heads, dim=2), dim=0)
        K_ = torch.cat(torch.chunk(K, self.num_heads, dim=2), dim=0)
        V_ = torch.cat(torch.chunk(V, self.num_heads, dim=2), dim=0)

        outputs = torch.bmm(Q_, K_.permute(0, 2, 1)) / (K_.size()[-1] ** 0.5)
        if mask is not None:
            N, T, _ = x.shape
            m = mask.expand(N, self.num_heads, T, T).transpose(0, 1).reshape(-1, T, T)
            outputs = outputs.masked_fill(m == 0, -2.0 ** 32 + 1)
        outputs = self.output_dropout(torch.softmax(outputs, dim=-1))
        outputs = torch.bmm(outputs, V_)
        outputs = torch.cat(torch.chunk(outputs, self.num_heads, dim=0), dim=2)
        return self.O_proj(outputs)
