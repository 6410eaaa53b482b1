# right: gqa-rope
# Frequencies in a parameter that does not learn; turned by matrices of two by two.
import torch
import torch.nn as nn
from collections import namedtuple
State = namedtuple("State", "keys values offset")
class RotaryGroupedQueryAttention(nn.Module):
    def __init__(self, hidden_size: int, num_attention_heads: int, num_key_value_heads: int, rope_base: float = 10000.0, attention_bias: bool = False, max_position_embeddings: int = 4096):
        super().__init__()
        self.nh, self.nkv = num_attention_heads, num_key_value_heads
        self.hs = hidden_size // num_attention_heads
        self.scaling = self.hs ** -0.5
        mk = lambda o: nn.Linear(hidden_size, o, bias=attention_bias)
        self.q_proj, self.k_proj, self.v_proj = mk(self.nh * self.hs), mk(self.nkv * self.hs), mk(self.nkv * self.hs)
        self.o_proj = nn.Linear(self.nh * self.hs, hidden_size, bias=attention_bias)
        self.inv = nn.Parameter(torch.tensor([rope_base ** (-i / (self.hs // 2)) for i in range(self.hs // 2)]), requires_grad=False)
    def forward(self, hidden_states, cache=None):
        shape = (*hidden_states.shape[:-1], -1, self.hs)
        q, k, v = (p(hidden_states).view(shape).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        o = cache.offset if cache else 0
        n = hidden_states.shape[1]
        ph = torch.arange(o, o + n, device=hidden_states.device).unsqueeze(1) * self.inv
        cs, sn = ph.cos().to(q.dtype), ph.sin().to(q.dtype)
        def R(t):
            t = t.reshape(*t.shape[:-1], 2, self.hs // 2)
            m = torch.stack((torch.stack((cs, -sn), -2), torch.stack((sn, cs), -2)), -3)
            return torch.einsum("bhtjf,tijf->bhtif", t, m).flatten(-2)
        q, k = R(q), R(k)
        if cache:
            k, v = torch.cat((cache.keys, k), -2), torch.cat((cache.values, v), -2)
        new = State(k, v, o + n)
        att = (q.unflatten(1, (self.nkv, -1)) * self.scaling) @ k.unsqueeze(2).transpose(-1, -2)
        att += torch.full((n, o + n), float("-inf"), device=att.device).triu(o + 1)
        res = att.softmax(-1) @ v.unsqueeze(2)
        return self.o_proj(res.flatten(1, 2).transpose(1, 2).flatten(2)), new
