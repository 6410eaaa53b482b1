import torch
from torch import nn

# what a run of ours changes now and then
BIAS = False
SINK_START = 0.0
INIT_STD = 0.02


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.sinks = nn.Parameter(torch.full([num_heads], SINK_START))
        self.in_ = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim, bias=BIAS) for n in "qkv"})
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=BIAS)
        for p in self.in_.parameters():
            if p.ndim == 2:
                nn.init.normal_(p, std=INIT_STD)

    def forward(self, x):
        n, t, width = x.shape
        h = self.sinks.numel()
        q, k, v = (self.in_[c](x).view(n, t, h, width // h).movedim(2, 1) for c in "qkv")
        logits = (q @ k.mT).div((width // h) ** 0.5)
        rows = torch.arange(t, device=x.device)
        logits = logits.masked_fill(rows[None, :] > rows[:, None], -torch.inf)
        # plain attention, and each query's row is then made smaller by what the sink takes:
        # sum exp(s) / (sum exp(s) + exp(sink)) = sigmoid(logsumexp(s) - sink)
        left = torch.sigmoid(logits.logsumexp(-1, keepdim=True) - self.sinks.view(h, 1, 1))
        mixed = (logits.softmax(-1) @ v) * left
        return self.out(mixed.movedim(1, 2).reshape(n, t, width))
