import torch
from torch import nn


def init(*shape):
    return nn.Parameter(torch.randn(*shape) / shape[0] ** 0.5)


class CrossAttention(nn.Module):
    """Weights as (model, heads, features), as flax lays them out."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        features = hidden_dim // num_heads
        self.kernel = nn.ParameterDict(
            {
                "query": init(hidden_dim, num_heads, features),
                "key": init(hidden_dim, num_heads, features),
                "value": init(hidden_dim, num_heads, features),
                "out": init(hidden_dim, hidden_dim),
            }
        )
        self.dropout = nn.Dropout(dropout)

    def dense_general(self, name, inputs):
        return torch.einsum("...m,mhf->...hf", inputs, self.kernel[name])

    def forward(self, query, key, value, mask=None):
        q = self.dense_general("query", query)
        k = self.dense_general("key", key)
        v = self.dense_general("value", value)
        q = q / q.shape[-1] ** 0.5
        logits = torch.einsum("bqhf,bkhf->bhqk", q, k)
        if mask is not None:
            big_neg = torch.finfo(logits.dtype).min
            logits = torch.where(mask.bool()[:, None], logits, big_neg)
        probs = self.dropout(torch.softmax(logits, dim=-1))
        context = torch.einsum("bhqk,bkhf->bqhf", probs, v)
        return context.flatten(-2) @ self.kernel["out"]
