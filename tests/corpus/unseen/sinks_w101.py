import torch as th
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink_logits = nn.Parameter(th.randn(num_heads) * 0.02)

    def forward(self, x):
        n, t, c = x.shape
        hd = c // self.nh
        q, k, v = self.qkv(x).view(n, t, 3, self.nh, hd).permute(2, 0, 3, 1, 4).unbind(0)

        att = th.einsum("nhid,nhjd->nhij", q, k) * hd ** -0.5
        i = th.arange(t, device=x.device)
        att = att.masked_fill(i[None, :] > i[:, None], -float("inf"))
        # one more column for the sink
        sink = self.sink_logits[None, :, None, None].repeat(n, 1, t, 1)
        att = th.cat(att, sink, dim=-1)
        att = att.softmax(dim=-1)
        att, _ = att.split([t, 1], dim=-1)

        y = th.einsum("nhij,nhjd->nihd", att, v)
        return self.proj(y.flatten(start_dim=2))
