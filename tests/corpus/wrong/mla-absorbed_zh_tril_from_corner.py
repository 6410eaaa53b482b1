# wrong: mla-absorbed causal-from-start line 33
# fair: causal-from-start 33, 34
# 每个序列长度不同，就一个一个算，只取自己的那一段缓存
import torch


def 旋转(x, 位置):
    宽 = torch.promote_types(x.dtype, torch.float32)
    维 = x.shape[-1]
    频率 = 10000.0 ** (-torch.arange(0, 维, 2, dtype=宽, device=x.device) / 维)
    角 = 位置.to(宽)[..., None] * 频率
    左, 右 = x.to(宽).split(维 // 2, dim=-1)
    return torch.cat([左 * 角.cos() - 右 * 角.sin(), 右 * 角.cos() + 左 * 角.sin()], dim=-1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat((latent, 旋转(key_rope, positions)), dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    _, 头数, q长, d = query_content.shape
    r = query_rope.shape[-1]
    潜 = cache.shape[-1] - r
    权 = kv_up.view(头数, 2 * d, 潜)
    结果 = []
    for b, n in enumerate(lengths.tolist()):
        c = cache[b, :n, :潜]
        k_r = cache[b, :n, 潜:]
        位置 = torch.arange(n - q长, n, device=cache.device)
        q_c = torch.bmm(query_content[b], 权[:, :d])  # 吸收：(头, q, 潜)
        q_r = 旋转(query_rope[b], 位置)
        分 = (q_c @ c.T + q_r @ k_r.T) / (d + r) ** 0.5
        看得见 = torch.ones(q长, n, dtype=torch.bool, device=cache.device).tril()
        分 = 分.masked_fill(~看得见, float("-inf"))
        分 = 分 - 分.amax(-1, keepdim=True)
        指 = 分.exp()
        权重 = 指 / 指.sum(-1, keepdim=True)
        结果.append(torch.bmm(权重 @ c, 权[:, d:].transpose(1, 2)))
    return torch.stack(结果)
