import torch as t
import torch.nn.functional as F
from torch.nn import Module, Linear


class SelfAttentionV2(Module):
    def __init__(s, hidden_dim):
        super().__init__()
        s.d = hidden_dim
        s.qkv_proj = Linear(hidden_dim, 3 * hidden_dim, bias=False)

    def forward(s, x):
        q, k, v = s.qkv_proj(x).split(s.d, dim=2)
        a = t.einsum('bqd,bkd->bqk', q, k) * s.d ** -.5
        a = F.softmax(a, 1)
        return t.einsum('bqk,bkd->bqd', a, v)
