# right: alibi
# 用 tril 的累加得到距离
import torch


def slopes(n_heads):
    n = 2 ** torch.tensor(n_heads).log2().floor().int().item()
    m = torch.logspace(-8 / n, -8, n, base=2)
    if n_heads > n:
        m2 = torch.logspace(-4 / n, -4 - 4 / n * (n - 1), 2 * n, base=2) if n == 1 else torch.pow(2.0, torch.linspace(-4 / n, -8, 2 * n))
        m = torch.cat([m, m2[::2][: n_heads - n]])
    return m


def bias(n_heads, q_len, k_len):
    see = torch.ones(q_len, k_len).tril(k_len - q_len)
    # 每行从右往左数还有多少个可见的 key
    dist = see.flip(-1).cumsum(-1).flip(-1) - 1
    b = -slopes(n_heads).reshape(n_heads, 1, 1) * dist
    b = b.expand(n_heads, q_len, k_len).clone()
    b[:, see == 0] = float("-inf")
    return b


def attention(q, k, v):
    bsz, h, tq, d = q.shape
    s = torch.baddbmm(
        bias(h, tq, k.shape[2]).to(q).repeat(bsz, 1, 1), q.reshape(-1, tq, d), k.reshape(-1, k.shape[2], d).transpose(1, 2), alpha=1 / d**0.5
    )
    return torch.bmm(s.softmax(-1), v.reshape(bsz * h, -1, v.shape[-1])).view(bsz, h, tq, -1)
