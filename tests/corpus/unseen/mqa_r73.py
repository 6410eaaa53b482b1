import torch
from torch import nn


class SharedMemory(nn.Module):
    def __init__(self, width: int, head: int):
        super().__init__()
        self.key = nn.Linear(width, head)
        self.value = nn.Linear(width, head)

    def forward(self, x):
        return self.key(x), self.value(x)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        head = hidden_dim // num_heads
        self.shared = SharedMemory(hidden_dim, head)
        self.queries = nn.ModuleList(nn.Linear(hidden_dim, head) for _ in range(num_heads))
        self.outs = nn.ParameterList(nn.Parameter(nn.init.xavier_uniform_(torch.empty(head, hidden_dim))) for _ in range(num_heads))
        self.out_bias = nn.Parameter(torch.zeros(hidden_dim))

    @staticmethod
    def pick(mask, h):
        """The (batch, length or 1, length) mask of head h, or None."""
        if mask is None:
            return None
        return mask.select(1, h if mask.size(1) != 1 else 0)

    def head(self, h, x, memory, mask):
        k, v = memory
        s = torch.bmm(self.queries[h](x), k.mT).div(k.size(-1) ** 0.5)
        if mask is not None:
            s = s + torch.zeros_like(s).masked_fill(mask == 0, -torch.inf)
        return s.softmax(2).bmm(v).matmul(self.outs[h])

    def forward(self, x, attention_mask=None):
        memory = self.shared(x)
        return sum((self.head(h, x, memory, self.pick(attention_mask, h)) for h in range(len(self.queries))), self.out_bias)
