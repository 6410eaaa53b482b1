# right: alibi
import torch as t

p2 = lambda n: t.exp2(-8 * t.arange(1, n + 1) / n)
slopes = lambda heads: t.cat((p2(n := 1 << (heads.bit_length() - 1)), p2(2 * n)[::2]))[:heads]


def bias(heads, query_length, key_length):
    d = t.arange(key_length) - t.arange(key_length)[-query_length:, None]
    return t.where(d > 0, -t.inf, slopes(heads).view(-1, 1, 1) * d)


def attention(query, key, value):
    s = query / query.shape[-1] ** 0.5 @ key.mT
    return (s + bias(*s.shape[1:]).to(s)).softmax(-1) @ value
