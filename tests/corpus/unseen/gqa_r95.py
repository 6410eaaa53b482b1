import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """The queries of a group are laid one behind another: (batch, kv_heads, repeats * length, head_dim)."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        D = hidden_dim // num_heads
        self.shape = (num_kv_heads, num_heads // num_kv_heads, D)
        self.Wq = nn.Parameter(torch.empty(hidden_dim, *self.shape))
        self.Wkv = nn.Parameter(torch.empty(2, hidden_dim, num_kv_heads, D))
        self.Wo = nn.Parameter(torch.empty(*self.shape, hidden_dim))
        for w in self.parameters():
            nn.init.normal_(w, std=hidden_dim**-0.5)

    def forward(self, x, attention_mask=None):
        G, R, D = self.shape
        B, T, _ = x.shape
        q = torch.einsum("btc,cgrd->bgrtd", x, self.Wq).flatten(2, 3)
        k, v = torch.einsum("btc,zcgd->zbgtd", x, self.Wkv).unbind(0)
        a = torch.matmul(q, k.mT).mul(D**-0.5)  # b g (r t) s
        if attention_mask is not None:
            a = a.view(B, G * R, T, T)
            a = torch.where(attention_mask.to(torch.bool), a, torch.finfo(a.dtype).min)
            a = a.view(B, G, R * T, T)
        ctx = torch.matmul(a.softmax(-1), v).unflatten(2, (R, T))
        return torch.einsum("bgrtd,grdc->btc", ctx, self.Wo)
