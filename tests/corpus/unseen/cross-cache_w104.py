import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        self.w_query = nn.Parameter(torch.randn(num_heads, hidden_dim, d) * hidden_dim**-0.5)
        self.w_key = nn.Parameter(torch.randn(num_heads, hidden_dim, d) * hidden_dim**-0.5)
        self.w_value = nn.Parameter(torch.randn(num_heads, hidden_dim, d) * hidden_dim**-0.5)
        self.w_out = nn.Parameter(torch.randn(num_heads, d, hidden_dim) * hidden_dim**-0.5)
        self.temperature = d**0.5

    @staticmethod
    def valid(memory, lengths):
        steps = torch.arange(memory.shape[1], device=memory.device)
        return (steps[None] < lengths[:, None]).to(memory.dtype)

    def encode(self, memory, lengths):
        memory = memory * self.valid(memory, lengths)[:, :, None]
        keys = torch.einsum("bme,hed->hbmd", memory, self.w_key)
        values = torch.einsum("bme,hed->hbmd", memory, self.w_value)
        return keys, values

    def forward(self, x, memory, memory_lengths, cache=None):
        cache = self.encode(memory, memory_lengths) if cache is None else cache
        keys, values = cache
        queries = torch.einsum("bte,hed->hbtd", x, self.w_query) / self.temperature
        weights = torch.softmax(queries @ keys.mT, dim=-1)
        return torch.einsum("hbtd,hde->bte", weights @ values, self.w_out), cache
