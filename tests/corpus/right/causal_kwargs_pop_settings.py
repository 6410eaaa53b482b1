# right: causal
import torch
from torch import nn


class CausalMixer(nn.Module):
    def __init__(self, **named):
        super().__init__()
        options = named.pop("options")
        self.heads, self.width = options["n_head"], options["n_embd"]
        self.into = nn.Linear(self.width, 3 * self.width, bias=False)
        self.out = nn.Linear(self.width, self.width)
        hidden = torch.ones(options["block_size"], options["block_size"]).triu(1).bool()
        self.register_buffer("hidden", hidden)

    def forward(self, x):
        n, t, width = x.shape
        q, k, v = self.into(x).view(n, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        scores = scores.masked_fill(self.hidden[:t, :t], -torch.inf)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, width))
