import torch
from torch import nn


# sink 等价于: 普通 softmax 的输出再乘 sigmoid(lse - sink)
class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        self.w = nn.Parameter(torch.randn(3, num_heads, hidden_dim, d) / hidden_dim**0.5)
        self.wo = nn.Parameter(torch.randn(num_heads, d, hidden_dim) / hidden_dim**0.5)
        self.bo = nn.Parameter(torch.zeros(hidden_dim))
        self.sink_logit = nn.Parameter(torch.randn(num_heads))

    def forward(self, x):
        q, k, v = torch.einsum("blc,zhcd->zbhld", x, self.w).unbind(0)
        s = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        idx = torch.arange(x.size(1), device=x.device)
        s = torch.where(idx.unsqueeze(1) >= idx, s, torch.tensor(float("-inf"), dtype=s.dtype, device=s.device))
        lse = torch.logsumexp(s, dim=-1, keepdim=True)
        gate = torch.sigmoid(lse - self.sink_logit[:, None, None])
        y = torch.exp(s - lse) @ v * gate
        return torch.einsum("bhid,hdc->bic", y, self.wo) + self.bo
