# right: mha remarks: fill-overflows-half
# heads are stacked on the batch axis, head-major, as people did in 2017
import torch
from torch import nn


class multihead_attention(nn.Module):
    def __init__(self, num_units, num_heads=8, dropout_rate=0.1):
        super(multihead_attention, self).__init__()
        self.num_units = num_units
        self.num_heads = num_heads
        self.Q_proj = nn.Sequential(nn.Linear(num_units, num_units))
        self.K_proj = nn.Sequential(nn.Linear(num_units, num_units))
        self.V_proj = nn.Sequential(nn.Linear(num_units, num_units))
        self.out_proj = nn.Linear(num_units, num_units)
        self.output_dropout = nn.Dropout(p=dropout_rate)

    def forward(self, queries, keys, values, mask=None):
        Q = self.Q_proj(queries)
        K = self.K_proj(keys)
        V = self.V_proj(values)
        step = self.num_units // self.num_heads
        Q_ = torch.cat(torch.split(Q, step, dim=2), dim=0)  # (h*N, T_q, C/h)
        K_ = torch.cat(torch.split(K, step, dim=2), dim=0)
        V_ = torch.cat(torch.split(V, step, dim=2), dim=0)

        outputs = torch.bmm(Q_, K_.permute(0, 2, 1))
        outputs = outputs / (K_.size(-1) ** 0.5)

        if mask is not None:
            n, tq, tk = queries.size(0), queries.size(1), keys.size(1)
            mask_ = mask.expand(n, self.num_heads, tq, tk)
            mask_ = torch.cat([m.squeeze(1) for m in torch.split(mask_, 1, dim=1)], dim=0)
            padding = torch.ones_like(outputs) * (-2.0 ** 32 + 1)
            outputs = torch.where(mask_ == 0, padding, outputs)

        outputs = torch.softmax(outputs, dim=-1)
        outputs = self.output_dropout(outputs)
        outputs = torch.bmm(outputs, V_)
        outputs = torch.cat(torch.split(outputs, queries.size(0), dim=0), dim=2)
        return self.out_proj(outputs)
