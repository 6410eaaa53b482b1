# wrong: block norms-swapped line 27
# fair: norms-swapped 28
import torch
import torch.nn as nn
import torch.nn.functional as F


class TransformerBlock(nn.Module):
    def __init__(self, hidden_size, num_attention_heads):
        super().__init__()
        self.heads = num_attention_heads
        self.input_layernorm = nn.LayerNorm(hidden_size)
        self.post_attention_layernorm = nn.LayerNorm(hidden_size)
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, 4 * hidden_size, bias=False)
        self.down_proj = nn.Linear(4 * hidden_size, hidden_size, bias=False)

    def attention(self, x):
        q, k, v = self.qkv_proj(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        t = x.shape[1]
        s = s.masked_fill(torch.arange(t, device=x.device) > torch.arange(t, device=x.device)[:, None], float("-inf"))
        return self.o_proj((F.softmax(s, dim=-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attention(self.post_attention_layernorm(x))
        x = x + self.down_proj(F.gelu(self.up_proj(self.input_layernorm(x))))
        return x
