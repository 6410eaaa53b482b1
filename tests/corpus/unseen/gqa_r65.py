# Axes: b, i (query pos), j (key pos), g (kv head), r (query heads per kv head), d.
import torch
from torch import einsum, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        g, r, d = num_kv_heads, num_heads // num_kv_heads, hidden_dim // num_heads
        s = hidden_dim**-0.5
        self.W_Q = nn.Parameter(s * torch.randn(hidden_dim, g, r, d))
        self.W_K = nn.Parameter(s * torch.randn(hidden_dim, g, d))
        self.W_V = nn.Parameter(s * torch.randn(hidden_dim, g, d))
        self.W_O = nn.Parameter(s * torch.randn(g, r, d, hidden_dim))
        self.shape = (g, r)
        self.beta = d**-0.5

    def forward(self, x, attention_mask=None):
        Q = einsum("bic,cgrd->bgrid", x, self.W_Q)
        K = einsum("bjc,cgd->bgjd", x, self.W_K)
        V = einsum("bjc,cgd->bgjd", x, self.W_V)
        S = self.beta * einsum("bgrid,bgjd->bgrij", Q, K)
        if attention_mask is not None:
            M = attention_mask.bool()
            # (b, h, ., j) -> (b, g, r, ., j); a single head axis stays single
            M = M[:, :, None] if M.shape[1] == 1 else M.unflatten(1, self.shape)
            S = torch.where(M, S, -torch.inf)
        return einsum("bgrij,bgjd,grdc->bic", S.softmax(-1), V, self.W_O)
