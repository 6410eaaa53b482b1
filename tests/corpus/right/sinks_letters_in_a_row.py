# right: sinks
import torch
from torch import nn


class SinkAttention(nn.Module):
    """Channels first, with 1x1 convolutions, named f, g, h as in the SAGAN paper."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        C = hidden_dim
        self.f = nn.Conv1d(C, C, kernel_size=1)
        self.g = nn.Conv1d(C, C, kernel_size=1)
        self.h = nn.Conv1d(C, C, kernel_size=1)
        self.v = nn.Conv1d(C, C, kernel_size=1, bias=False)
        self.gamma = nn.Parameter(torch.zeros(num_heads, 1))

    def forward(self, x):
        H = self.gamma.shape[0]
        B, N, C = x.shape
        x = x.permute(0, 2, 1)
        f = self.f(x).reshape(B * H, C // H, N)      # queries
        g = self.g(x).reshape(B * H, C // H, N)      # keys
        h = self.h(x).reshape(B * H, C // H, N)      # values
        s = torch.bmm(g.transpose(1, 2), f) / (C // H) ** 0.5          # key, query
        s = s + torch.full((N, N), float("-inf"), device=x.device, dtype=x.dtype).tril(-1)
        extra = self.gamma.repeat(B, 1).reshape(B * H, 1, 1).expand(B * H, 1, N)
        beta = torch.cat((extra, s), dim=1).softmax(dim=1)[:, 1:, :]
        o = torch.bmm(h, beta).reshape(B, C, N)
        return self.v(o).permute(0, 2, 1)
