# wrong: v4 mask-fill-small line 16, dropout-on-output line 19
import torch, math
from torch import nn
from torch.nn import functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, dim, p=0.1):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(dim, dim) for _ in range(4))
        self.p = p

    def forward(self, x, mask=None):
        s = self.q(x) @ self.k(x).mT / math.sqrt(x.shape[-1])
        if mask is not None:
            s = s.masked_fill(mask == 0, -1.0)
        a = F.softmax(s, dim=-1)
        y = self.out(a @ self.v(x))
        return F.dropout(y, self.p, self.training)
