import torch
from torch import nn


class HeadRMSNorm(nn.Module):
    def __init__(self, head_dim, eps=1e-6):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(head_dim))
        self.eps = eps

    def forward(self, x):
        ms = torch.mean(torch.square(x), dim=(-2, -1), keepdim=True)
        return x / torch.sqrt(ms + self.eps) * self.scale


class QKNormAttention(nn.Module):
    """(batch, length, heads, head_dim) throughout"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.wq = nn.Parameter(torch.randn(hidden_dim, num_heads, self.head_dim) * hidden_dim**-0.5)
        self.wk = nn.Parameter(torch.randn(hidden_dim, num_heads, self.head_dim) * hidden_dim**-0.5)
        self.wv = nn.Parameter(torch.randn(hidden_dim, num_heads, self.head_dim) * hidden_dim**-0.5)
        self.wo = nn.Parameter(torch.randn(num_heads, self.head_dim, hidden_dim) * hidden_dim**-0.5)
        self.query_norm = HeadRMSNorm(self.head_dim)
        self.key_norm = HeadRMSNorm(self.head_dim)

    def forward(self, x):
        q = self.query_norm(torch.einsum("BTM,MHD->BTHD", x, self.wq))
        k = self.key_norm(torch.einsum("BTM,MHD->BTHD", x, self.wk))
        v = torch.einsum("BTM,MHD->BTHD", x, self.wv)
        logits = torch.einsum("BTHD,BSHD->BHTS", q, k) * self.head_dim**-0.5
        T = x.size(1)
        causal = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        probs = torch.softmax(logits.masked_fill(~causal, float("-inf")), dim=-1)
        return torch.einsum("BHTS,BSHD,HDM->BTM", probs, v, self.wo)
