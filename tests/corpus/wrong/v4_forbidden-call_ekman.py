# wrong: v4 forbidden-call line 16
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.p = dropout

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        keep = None if attention_mask is None else attention_mask.bool()
        fn = getattr(torch.ops.aten, "scaled_dot_product_attention")
        return fn(q, k, v, keep, self.p if self.training else 0.0)
