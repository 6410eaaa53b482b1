# right: cross
from torch import nn


class Reader(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, target, source, target_pos_embed=None, key_pos=None, mask=None):
        if target_pos_embed is not None:
            target = target + target_pos_embed
        if key_pos is not None:
            source = source + key_pos
        q, k, v = (
            layer(one).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for layer, one in ((self.q, target), (self.k, source), (self.v, source))
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask[:, None] == 0, -1e4)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
