# wrong: paged output-not-rescaled line 27
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    """逐个 token 做 online softmax，batch 里的序列一起算。"""
    B, H, D = query.shape
    bs, G = key_pool.shape[1:3]
    q = query.float() if query.dtype in (torch.float16, torch.bfloat16) else query
    q = q.reshape(B, G, H // G, D) / D ** 0.5
    m = torch.full_like(q[..., :1], float("-inf"))
    l = torch.zeros_like(m)
    o = torch.zeros_like(q)
    for t in range(int(lengths.max())):
        block = block_table[:, t // bs]
        k = key_pool[block, t % bs].to(q.dtype)[:, :, None]
        v = value_pool[block, t % bs].to(q.dtype)[:, :, None]
        s = (q * k).sum(-1, keepdim=True)
        # 已经结束的序列不再变化
        on = (t < lengths).view(B, 1, 1, 1)
        s = torch.where(on, s, torch.full_like(s, float("-inf")))
        m_new = torch.maximum(m, s)
        scale = torch.exp(m - m_new)
        p = torch.exp(s - m_new)
        l = l * scale + p
        # 更新输出
        o = o + p * v
        m = m_new
    return (o / l).reshape(B, H, D).to(query.dtype)
