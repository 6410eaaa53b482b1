"""Cross-attention written for one example and one head, then vmapped over heads and batch."""
import torch
from torch import nn
from torch.func import vmap


def _logits(query, key):  # [q, d], [k, d] -> [q, k]
    return (query / query.shape[-1] ** 0.5) @ key.T


def _mask_logits(logits, mask):  # [q, k], [q, k] -> [q, k]
    return torch.where(mask, logits, torch.finfo(logits.dtype).min)


over_heads_and_batch = lambda f: vmap(vmap(f))
batched_logits = over_heads_and_batch(_logits)
batched_mask = vmap(vmap(_mask_logits, in_dims=(0, None)))
batched_context = over_heads_and_batch(torch.matmul)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.params = nn.ParameterDict(
            {
                name: nn.Parameter(nn.init.xavier_uniform_(torch.empty(hidden_dim, hidden_dim)))
                for name in ("query", "key", "value", "out")
            }
        )
        self.dropout = nn.Dropout(dropout)

    def _heads(self, name, inputs):  # [b, t, c] -> [b, h, t, d]
        b, t, c = inputs.shape
        y = inputs @ self.params[name]
        return y.reshape(b, t, self.num_heads, c // self.num_heads).swapaxes(1, 2)

    def forward(self, query, key, value, mask=None):
        q = self._heads("query", query)
        k = self._heads("key", key)
        v = self._heads("value", value)
        logits = batched_logits(q, k)
        if mask is not None:
            logits = batched_mask(logits, mask.bool())
        weights = self.dropout(nn.functional.softmax(logits, dim=-1))
        context = batched_context(weights, v)
        return context.swapaxes(1, 2).flatten(2) @ self.params["out"]


if __name__ == "__main__":
    net = CrossAttention(16, 4)
    print(net(torch.randn(2, 3, 16), torch.randn(2, 5, 16), torch.randn(2, 5, 16)).shape)
