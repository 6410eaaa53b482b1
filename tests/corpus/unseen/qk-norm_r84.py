# after OLMo2 / Gemma3 in transformers; Gemma keeps the gain less 1
import torch
from torch import nn


class GemmaRMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        wide = torch.promote_types(x.dtype, torch.float32)
        # Llama does x.to(float16) * w whilst Gemma is (x * w).to(float16)
        output = self._norm(x.to(wide)) * (1.0 + self.weight.to(wide))
        return output.type_as(x)

    def extra_repr(self):
        return f"{tuple(self.weight.shape)}, eps={self.eps}"


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim**-0.5
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.q_norm = GemmaRMSNorm(self.head_dim)
        self.k_norm = GemmaRMSNorm(self.head_dim)

    def forward(self, x):
        hidden_shape = (*x.shape[:-1], -1, self.head_dim)
        query_states = self.q_norm(self.q_proj(x).view(hidden_shape)).transpose(1, 2)
        key_states = self.k_norm(self.k_proj(x).view(hidden_shape)).transpose(1, 2)
        value_states = self.v_proj(x).view(hidden_shape).transpose(1, 2)
        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.scaling
        n = x.size(1)
        min_dtype = torch.finfo(attn_weights.dtype).min
        causal_mask = torch.full((n, n), min_dtype, dtype=attn_weights.dtype, device=x.device).triu(diagonal=1)
        # masked scores are replaced, not only lowered
        attn_weights = torch.where(causal_mask == 0, attn_weights, causal_mask)
        attn_output = torch.matmul(attn_weights.softmax(dim=-1), value_states)
        return self.o_proj(attn_output.transpose(1, 2).flatten(2))
