import math
import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


class LoRALinear(nn.Module):
    def __init__(self, n_in, n_out, r=4, alpha=8):
        super().__init__()
        self.base = nn.Linear(n_in, n_out, bias=False)
        self.lora_A = nn.Parameter(torch.randn(r, n_in) / math.sqrt(n_in))
        self.lora_B = nn.Parameter(torch.zeros(n_out, r))
        self.scaling = alpha / r

    def forward(self, x):
        return self.base(x) + (x @ self.lora_A.T) @ self.lora_B.T * self.scaling


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.to_q = LoRALinear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Sequential(weight_norm(nn.Linear(hidden_dim, hidden_dim)), nn.Identity())
        self.register_parameter("off", nn.Parameter(torch.randn(num_heads) * 0.02))

    def split(self, t):
        return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, x):
        k, v = map(self.split, self.to_kv(x).chunk(2, dim=-1))
        q = self.split(self.to_q(x))
        sim = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        i, j = sim.shape[-2:]
        sim = sim.masked_fill(torch.ones(i, j, dtype=torch.bool, device=x.device).triu(j - i + 1), -math.inf)
        # what a flash kernel would hand back: plain attention and its log-sum-exp
        lse = sim.logsumexp(dim=-1, keepdim=True)
        out = torch.exp(sim - lse) @ v
        out = out * torch.sigmoid(lse - self.off[:, None, None])
        return self.to_out(out.transpose(1, 2).flatten(2))
