import math

import torch
import torch.nn as nn


class LoRALinear(nn.Linear):
    """y = x (W + a/r * B A)^T + b; B starts at zero, so at first it is a plain Linear."""

    def __init__(self, n_in, n_out, r=4, lora_alpha=8):
        super().__init__(n_in, n_out)
        self.lora_A = nn.Parameter(torch.empty(r, n_in))
        self.lora_B = nn.Parameter(torch.zeros(n_out, r))
        self.gain = lora_alpha / r
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))

    def forward(self, x):
        return super().forward(x) + self.gain * ((x @ self.lora_A.T) @ self.lora_B.T)


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h, self.max_len = num_heads, block_size
        self.q_proj = LoRALinear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = LoRALinear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self._masks = {}

    def _future(self, n, device):
        """cached by length and device; holds no parameters and nothing about the data"""
        slot = (n, str(device))
        if slot not in self._masks:
            with torch.inference_mode(False):
                i = torch.arange(n, device=device)
                self._masks[slot] = i[None, :] > i[:, None]
        return self._masks[slot]

    def _heads(self, t):
        return t.unflatten(-1, (self.h, -1)).movedim(-2, 0)       # h b n d

    def forward(self, x):
        n = x.size(1)
        q, k, v = map(self._heads, (self.q_proj(x), self.k_proj(x), self.v_proj(x)))
        a = (q @ k.mT).div_(math.sqrt(q.size(-1)))
        a = a.masked_fill_(self._future(n, x.device), float("-inf"))
        a = a.softmax(-1)
        return self.o_proj((a @ v).movedim(0, -2).flatten(-2))
