import torch
from torch import Tensor, nn
from torch.nn import functional as F


def hidden_to_bias(mask: Tensor, like: Tensor) -> Tensor:
    """A bool mask as something to add: 0 where seen, -inf where hidden."""
    zeros = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
    return zeros.masked_fill(mask, float("-inf"))


def score_bias(attn_mask: Tensor | None, padding: Tensor | None, heads: int, like: Tensor) -> Tensor:
    total = like.new_zeros(())
    if attn_mask is not None:
        added = hidden_to_bias(attn_mask.logical_not(), like) if attn_mask.dtype == torch.bool else attn_mask
        total = total + (added.unflatten(0, (-1, heads)) if added.dim() == 3 else added)
    if padding is not None:
        total = total + hidden_to_bias(padding, like)[:, None, None, :]
    return total


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        self.num_heads, self.dropout = num_heads, dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def project(self, *inputs: Tensor):
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        for x, w, b in zip(inputs, self.in_proj_weight.chunk(3), biases):
            yield F.linear(x, w, b).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q, k, v = self.project(query, key, value)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = (scores + score_bias(attn_mask, key_padding_mask, self.num_heads, scores)).softmax(-1)
        weights = F.dropout(weights, self.dropout, self.training)
        output = self.out_proj((weights @ v).transpose(1, 2).flatten(2))
        if not need_weights:
            return output, None
        return output, weights.mean(1) if average_attn_weights else weights
