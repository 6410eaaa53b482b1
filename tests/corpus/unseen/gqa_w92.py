import torch
from torch import nn, Tensor


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.n_q, self.n_kv = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, (self.n_q + 2 * self.n_kv) * self.d, bias=False)
        self.wo = nn.Linear(self.n_q * self.d, hidden_dim, bias=False)
        self.inv_scale = (hidden_dim // num_kv_heads) ** 0.5

    def qkv(self, x: Tensor):
        B, T, _ = x.shape
        z = self.wqkv(x).view(B, T, -1, self.d).transpose(1, 2)
        q, k, v = z.split([self.n_q, self.n_kv, self.n_kv], dim=1)
        # B, G, R, T, d  /  B, G, 1, T, d
        return q.unflatten(1, (self.n_kv, -1)), k.unsqueeze(2), v.unsqueeze(2)

    def forward(self, x: Tensor, attention_mask=None) -> Tensor:
        q, k, v = self.qkv(x)
        att = (q / self.inv_scale) @ k.mT
        if attention_mask is not None:
            m = attention_mask
            m = m.unflatten(1, (self.n_kv, -1)) if m.size(1) > 1 else m.unsqueeze(2)
            att = att.masked_fill(m == 0, -torch.finfo(att.dtype).max)
        y = att.softmax(-1) @ v
        y = y.flatten(1, 2).transpose(1, 2)
        return self.wo(y.flatten(2))
