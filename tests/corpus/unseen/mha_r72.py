import torch
from torch import nn
from torch.func import functional_call, vmap


class Head(nn.Module):
    def __init__(self, hidden_dim, head_dim):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * head_dim, bias=False)

    def forward(self, x, keep):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.mT * q.size(-1) ** -0.5
        scores = torch.where(keep, scores, torch.finfo(scores.dtype).min)
        return scores.softmax(-1), v


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = nn.ModuleList(Head(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads))
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, n, _ = x.shape
        keep = x.new_ones(()) if attention_mask is None else attention_mask
        keep = (keep != 0).expand(b, len(self.heads), n, n)
        stacked = {"qkv.weight": torch.stack([h.qkv.weight for h in self.heads])}

        def one(params, keep):
            return functional_call(self.heads[0], params, (x, keep))

        weights, values = vmap(one, in_dims=(0, 1), out_dims=1)(stacked, keep)
        mixed = torch.einsum("bhij,bhjd->bihd", self.drop(weights), values)
        return self.out(mixed.flatten(2))
