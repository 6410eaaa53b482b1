import torch
from torch import nn

DEFAULTS = {"rate": 0.1, "bias": {"in": True, "out": True}}


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=DEFAULTS["rate"]):
        super().__init__()
        self.kvq = nn.Linear(hidden_dim, 3 * hidden_dim, bias=DEFAULTS["bias"]["in"])
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=DEFAULTS["bias"]["out"])
        self.rate = dropout
        self.denominator = hidden_dim**0.5

    def weights(self, q, k, mask):
        scores = torch.einsum("bid,bjd->bij", q, k) / self.denominator
        if mask is not None:
            bias = torch.zeros_like(scores)
            bias[(mask == 0).expand_as(scores)] = torch.finfo(scores.dtype).min / 2
            scores = scores + bias
        weights = torch.softmax(scores, dim=2)
        if self.training and self.rate > 0:
            kept = torch.rand_like(weights) >= self.rate
            weights = weights * kept / max(1 - self.rate, 1e-12)
        return weights

    def forward(self, x, attention_mask=None):
        k, v, q = self.kvq(x).tensor_split(3, dim=2)
        return self.out(torch.einsum("bij,bjd->bid", self.weights(q, k, attention_mask), v))
