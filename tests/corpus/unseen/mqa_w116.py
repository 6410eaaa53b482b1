import torch
from torch import nn
from torch.nn import functional as F


class MultiQueryAttention(nn.Module):
    """z: sample, m: query head, s: source position, u: target position, c: channel of a head"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.temperature = (hidden_dim // num_heads) ** 0.5
        self.weights = nn.ParameterDict({
            "query": torch.empty(hidden_dim, num_heads, hidden_dim // num_heads),
            "key": torch.empty(hidden_dim, hidden_dim // num_heads),
            "value": torch.empty(hidden_dim, hidden_dim // num_heads),
            "out": torch.empty(num_heads, hidden_dim // num_heads, hidden_dim),
        })
        for w in self.weights.values():
            nn.init.normal_(w, std=hidden_dim ** -0.5)

    def forward(self, x, attention_mask=None):
        w = self.weights
        Q = torch.einsum("zue,emc->zmuc", x, w["query"])
        K = torch.einsum("zse,ec->zsc", x, w["key"])
        V = torch.einsum("zse,ec->zsc", x, w["value"])
        E = torch.einsum("zmuc,zsc->zmus", Q, K) / self.temperature
        if attention_mask is not None:
            E = torch.where(attention_mask != 0, E, float("-inf"))
        A = F.softmax(E, dim=3)
        Y = torch.einsum("zmsu,zsc->zmuc", A, V)
        return torch.einsum("zmuc,mce->zue", Y, w["out"])
