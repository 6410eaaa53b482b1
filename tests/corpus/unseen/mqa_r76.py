import torch
from torch import nn
from torch.func import vmap


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.head_dim, rest = divmod(hidden_dim, num_heads)
        assert rest == 0, f"hidden_dim {hidden_dim} over {num_heads} heads leaves {rest}"
        scale = hidden_dim ** -0.5
        # heads on the last axis
        self.ask = nn.Parameter(torch.randn(self.head_dim, hidden_dim, num_heads) * scale)
        self.tell = nn.Parameter(torch.randn(hidden_dim, self.head_dim, num_heads) * scale)
        self.shared = nn.Linear(hidden_dim, 2 * self.head_dim)

    def forward(self, x, attention_mask=None):
        value, key = self.shared(x).chunk(2, dim=-1)                # (B, T, d), once for all heads

        def head(ask, tell, seen):
            q = x @ ask.t()
            s = q @ key.mT / self.head_dim ** 0.5
            if seen is not None:
                s = torch.where(seen != 0, s, torch.finfo(s.dtype).min)
            return s.softmax(-1) @ value @ tell.t()

        if attention_mask is None:
            where = None
        elif attention_mask.shape[1] == 1:
            attention_mask, where = attention_mask[:, 0], None
        else:
            where = 1
        return vmap(head, in_dims=(2, 2, where))(self.ask, self.tell, attention_mask).sum(0)
