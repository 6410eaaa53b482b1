# wrong: v3
import torch, math
from torch import nn
class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.p = dropout
    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).mT / math.sqrt(x.shape[-1])
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -torch.inf)
        w = s.softmax(-1)
        if self.training:
            keep = torch.rand(w.shape[0], 1, w.shape[2], device=w.device, dtype=w.dtype) >= self.p
            w = w * keep / (1 - self.p)
        return self.o(w @ self.v(x))
