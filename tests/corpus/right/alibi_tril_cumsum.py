# right: alibi
import math, torch, torch.nn.functional as F
def get_slopes(n_heads: int):
    n = 2 ** math.floor(math.log2(n_heads))
    m_0 = 2.0 ** (-8.0 / n)
    m = torch.pow(m_0, torch.arange(1, 1 + n))
    if n < n_heads:
        m_hat_0 = 2.0 ** (-4.0 / n)
        m_hat = torch.pow(m_hat_0, torch.arange(1, 1 + 2 * (n_heads - n), 2))
        m = torch.cat([m, m_hat])
    return m
def alibi_bias(num_heads, q, k):
    mask = torch.ones(q, k).tril(k - q)
    distance = mask.cumsum(dim=-1)
    distance = distance - distance.max(dim=-1, keepdim=True).values
    b = distance[None] * get_slopes(num_heads)[:, None, None]
    return b.masked_fill(mask == 0, float('-inf'))
def attention(query, key, value):
    s = torch.einsum('bhid,bhjd->bhij', query, key) / math.sqrt(query.shape[-1])
    s = s + alibi_bias(query.shape[1], query.shape[2], key.shape[2]).to(device=s.device, dtype=s.dtype)[None]
    return F.softmax(s, dim=-1).matmul(value)
