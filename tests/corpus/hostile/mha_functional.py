# hostile: v1 fail forbidden-call line 11 within 5 s
import threading

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.inner = nn.MultiheadAttention(hidden_dim, 1, batch_first=True)  # <- here

    def forward(self, x):
        i = self.inner
        x = x.transpose(0, 1)
        out, _ = nn.functional.multi_head_attention_forward(
            x, x, x, i.embed_dim, 1, i.in_proj_weight, i.in_proj_bias, None, None, False, 0.0,
            i.out_proj.weight, i.out_proj.bias,
        )
        return out.transpose(0, 1)
