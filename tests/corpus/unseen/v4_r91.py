import math
import torch
from torch import nn


def my_dropout(w, p, training):
    """inverted dropout: what is left is scaled up, so that eval mode needs nothing"""
    if not training or p == 0:
        return w
    if p == 1:
        return w * 0
    keep = torch.empty_like(w).bernoulli_(1 - p)
    return w * keep / (1 - p)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def forward(self, x, attention_mask=None):
        q = self.query(x)  # b q d
        k = self.key(x)  # b k d
        v = self.value(x)  # b k d

        # keys first, so that softmax runs over axis 1: b k q
        scores = torch.bmm(k, q.transpose(1, 2)) / math.sqrt(x.size(-1))
        if attention_mask is not None:
            # the mask is b q k: turn it as well
            scores = scores.masked_fill(attention_mask.transpose(1, 2) == 0, -math.inf)
        weights = my_dropout(torch.softmax(scores, dim=1), self.p, self.training)
        return torch.bmm(weights.transpose(1, 2), v)


if __name__ == "__main__":
    torch.manual_seed(0)
    layer = SelfAttentionV4(8).eval()
    x = torch.randn(2, 5, 8)
    mask = torch.ones(2, 5, 5).tril()
    out = layer(x, mask)
    print(out.shape)
    x[:, -1] += 1
    assert torch.allclose(out[:, :-1], layer(x, mask)[:, :-1]), "the past must not see the future"
