# wrong: v1 weights-on-keys line 14
import torch


class SelfAttentionV1(torch.nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q, self.k, self.v = [torch.nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(3)]

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        w = torch.einsum("bid,bjd->bij", q, k) / k.size(-1) ** 0.5
        w = w.softmax(-1)
        return torch.einsum("bij,bjd->bid", w, k)
