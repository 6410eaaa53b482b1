# right: v2
import torch
import torch.nn.functional as F
from torch import nn


class FusedSelfAttention(nn.Module):
    def __init__(self, hidden_size: int, attention_bias: bool = False):
        super().__init__()
        self.hidden_size = hidden_size
        self.scaling = hidden_size**-0.5
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size, bias=attention_bias)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=attention_bias)

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        query, key, value = self.qkv_proj(hidden_states).split(self.hidden_size, dim=-1)
        weights = torch.matmul(query, key.transpose(1, 2)) * self.scaling
        weights = F.softmax(weights, dim=-1, dtype=torch.float32).to(query.dtype)
        return self.o_proj(torch.matmul(weights, value))
