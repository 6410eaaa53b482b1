# attn-kata: v2
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV2(nn.Module):
    """One big matrix. Weight laid out (3, d, d) so each slab is one role."""

    def __init__(self, hidden_dim):
        super().__init__()
        d = hidden_dim
        self.d = d
        self.in_proj_weight = nn.Parameter(torch.empty(3 * d, d))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d))
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, x):
        b, t, d = x.size()
        qkv = F.linear(x, self.in_proj_weight, self.in_proj_bias)   # b t 3d
        q, k, v = qkv.view(b, t, 3, d).unbind(2)
        q = q / math.sqrt(d)
        att = torch.baddbmm(torch.zeros(1, 1, 1, dtype=q.dtype, device=q.device).expand(b, t, t),
                            q, k.transpose(-1, -2))
        att = att.softmax(-1)
        return att.matmul(v)
