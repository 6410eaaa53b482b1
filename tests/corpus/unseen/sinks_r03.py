import torch
from torch import nn


class SinkAttention(nn.Module):
    """gpt-oss style: one fused projection, sink concatenated as an extra column."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_head = num_heads
        self.d_head = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=True)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.sinks = nn.Parameter(torch.randn(num_heads))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.n_head, self.d_head).permute(2, 0, 3, 1, 4)
        QK = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.d_head ** -0.5
        QK = QK + torch.full((T, T), float("-inf"), dtype=QK.dtype, device=QK.device).triu(1)
        S = self.sinks.to(QK.dtype)[None, :, None, None].expand(B, self.n_head, T, 1)
        W = torch.cat([QK, S], dim=-1).softmax(-1)[..., :-1]
        y = torch.einsum("bhqk,bhkd->bqhd", W, v).reshape(B, T, C)
        return self.out(y)
