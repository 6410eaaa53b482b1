import torch, math
from torch import nn
import torch.nn.functional as F


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H = num_heads
        self.W = nn.ParameterList([nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim ** .5) for _ in range(4)])
        self.s = nn.Parameter(torch.linspace(-1, 1, num_heads))

    def fold(self, z):  # b t (h d) -> (b h) t d
        return z.unflatten(2, (self.H, -1)).swapaxes(1, 2).flatten(0, 1)

    def unfold(self, z):  # (b h) t d -> b t (h d)
        return z.unflatten(0, (-1, self.H)).swapaxes(1, 2).flatten(2)

    def forward(self, x):
        b, t, _ = x.shape
        Wq, Wk, Wv, Wo = self.W
        q, k, v = (self.fold(F.linear(x, w)) for w in (Wq, Wk, Wv))
        bias = torch.zeros(t, t, dtype=x.dtype, device=x.device)
        bias[torch.ones_like(bias, dtype=torch.bool).triu(1)] = -math.inf
        logits = torch.baddbmm(bias, q, k.mT, alpha=q.shape[-1] ** -.5)
        # one sink for each (sample, head), as a last column
        sink = self.s.repeat_interleave(b).view(-1, 1, 1).expand(-1, t, 1)
        p = torch.cat((logits, sink), 2).softmax(2)[:, :, :t]
        return F.linear(self.unfold(p @ v), Wo)
