import torch
from torch import nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    """
    Decoder-to-encoder attention. Key and value are projected together
    since one wide matmul is cheaper than two narrow ones.
    """

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def forward(self, query, key, value, mask=None):
        B, Tq, C = query.shape
        Tk = key.shape[1]
        H, D = self.num_heads, C // self.num_heads
        q = self.q_proj(query).view(B, Tq, H, D).transpose(1, 2)
        kv = self.kv_proj(key).view(B, Tk, 2, H, D)
        k, v = kv.permute(2, 0, 3, 1, 4)
        s = torch.matmul(q, k.transpose(2, 3)) / D**0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(s.dtype).min)
        w = F.dropout(F.softmax(s, dim=-1), self.p, self.training)
        o = torch.matmul(w, v).transpose(1, 2).reshape(B, Tq, C)
        return self.out_proj(o)
