import torch
from torch import nn
from torch.nn.utils import parametrize


class Transposed(nn.Module):
    """Lets a checkpoint of the old (in, out) convention sit under a usual nn.Linear."""

    def forward(self, stored):
        return stored.T

    def right_inverse(self, weight):
        return weight.T.contiguous()


def old_style_linear(width_in, width_out, bias=True):
    layer = nn.Linear(width_in, width_out, bias=bias)
    parametrize.register_parametrization(layer, "weight", Transposed())
    return layer


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = old_style_linear(hidden_dim, hidden_dim)
        self.kv = old_style_linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.o = old_style_linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.root = hidden_dim**0.5

    def weights(self, q, k, allowed):
        scores = q @ k.mT / self.root
        if allowed is not None:
            # 1 = may look. NaN-proof for rows of zeros, since the fill is finite.
            lowest = scores.new_full((), torch.finfo(scores.dtype).min)
            scores = torch.where(allowed.to(torch.bool), scores, lowest)
        return scores.softmax(-1)

    def forward(self, x, attention_mask=None):
        with parametrize.cached():
            k, v = torch.tensor_split(self.kv(x), 2, dim=-1)
            w = self.drop(self.weights(self.q(x), k, attention_mask))
            return self.o(w @ v)
