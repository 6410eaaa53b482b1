# StreamingLLM-like view: the sink is a zeroth position, with a logit of its own and a value of zeros
import torch
from torch import nn
from torch.nn.functional import pad


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n, self.d = num_heads, hidden_dim // num_heads
        self.query_key = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.sink_logit = nn.Parameter(torch.zeros(1, num_heads))
        self.mix = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, _ = x.shape
        q, k = self.query_key(x).view(b, t, 2, self.n, self.d).permute(2, 0, 3, 1, 4)
        v = self.value(x).view(b, t, self.n, self.d).transpose(1, 2)
        # one more feature: 1 in each query, the sink's logit in key 0 and nothing in the others
        q = torch.cat([q / self.d**0.5, torch.ones_like(q[..., :1])], dim=-1)
        k = pad(k, (0, 1))
        first = pad(self.sink_logit.view(1, self.n, 1, 1).expand(b, -1, -1, -1), (self.d, 0))
        k = torch.cat([first, k], dim=2)
        v = pad(v, (0, 0, 1, 0))
        logits = q @ k.mT                                                 # b n t 1+t
        later = torch.ones(t, t + 1, dtype=torch.bool, device=x.device).triu(2)
        weights = logits.masked_fill(later, torch.finfo(logits.dtype).min).softmax(dim=-1)
        return self.mix((weights @ v).transpose(1, 2).flatten(2))
