# wrong: alibi causal-from-start line 12
# fair: causal-from-start 14
import math, torch
def slopes(heads):
    def p2(n): return [2 ** (-8 * (i + 1) / n) for i in range(n)]
    n = 2 ** int(math.log2(heads))
    return torch.tensor(p2(n) + p2(2 * n)[0::2][:heads - n])

def bias(heads, query_length, key_length):
    keys = torch.arange(key_length)
    rel = keys[None] - torch.arange(key_length - query_length, key_length)[:, None]
    q, k = torch.meshgrid(torch.arange(query_length), keys, indexing="ij")
    out = slopes(heads).view(-1, 1, 1) * rel
    return out + torch.zeros_like(out).masked_fill(k > q, -math.inf)

def attention(query, key, value):
    s = query @ key.mT / math.sqrt(query.size(-1))
    return (s + bias(s.size(1), s.size(2), s.size(3)).to(s)).softmax(-1) @ value
