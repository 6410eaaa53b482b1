import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """No mask at all: row t is only ever shown the keys and values 0..t."""

    def __init__(self, hidden_dim=768, num_heads=12, block_size=1024):
        super().__init__()
        assert not hidden_dim % num_heads
        e = hidden_dim // num_heads
        self.block_size = block_size
        # (heads, head_dim, role, hidden_dim): role 0 asks, role 1 answers, role 2 is the content
        self.theta = nn.Parameter(torch.randn(num_heads, e, 3, hidden_dim) * hidden_dim**-0.5)

    @torch.no_grad()
    def reset(self, std=0.02):
        self.theta.normal_(0.0, std)

    def forward(self, x):
        assert x.shape[1] <= self.block_size, "sequence longer than block_size"
        ask, answer, content = torch.einsum("bti,heri->rbhte", x, self.theta)
        ask = ask * ask.shape[-1] ** -0.5

        rows = []
        for t in range(x.shape[1]):
            past = slice(0, t + 1)
            s = (answer[:, :, past] * ask[:, :, t : t + 1]).sum(-1)
            p = torch.softmax(s, dim=-1)
            rows.append((p.unsqueeze(-2) @ content[:, :, past]).squeeze(-2))
        out = torch.stack(rows, dim=1)                     # b t h e
        return out.flatten(2)
