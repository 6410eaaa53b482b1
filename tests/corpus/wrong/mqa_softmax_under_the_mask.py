# wrong: mqa mask-needed line 17
# fair: mask-needed 19
import math, torch
from torch import nn
class MultiQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h, self.d = num_heads, d_model // num_heads
        self.q = nn.Linear(d_model, d_model)
        self.kv = nn.Linear(d_model, 2 * self.d)
        self.o = nn.Linear(d_model, d_model)
    def forward(self, x, mask=None):
        b, t, c = x.shape
        q = self.q(x).view(b, t, self.h, self.d).transpose(1, 2)
        k, v = self.kv(x).unsqueeze(1).chunk(2, -1)
        w = q @ k.mT / math.sqrt(self.d)
        if mask is not None:
            w = w.masked_fill(mask == 0, -torch.inf)
            w = w.softmax(-1)
        y = (w @ v).transpose(1, 2).reshape(b, t, c)
        return self.o(y)
