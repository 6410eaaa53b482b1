import math

import torch


def cumulative_lengths(lengths):
    jieguo = torch.zeros(lengths.shape[0] + 1, dtype=lengths.dtype, device=lengths.device)
    jieguo[1:] = lengths.cumsum(0)
    return jieguo


def document_mask(lengths, total):
    bianhao = torch.full((total,), -1, device=lengths.device)
    pianyi = cumulative_lengths(lengths).tolist()
    for i in range(len(lengths)):
        bianhao[pianyi[i]:pianyi[i + 1]] = i
    tongyige = bianhao.unsqueeze(0) == bianhao.unsqueeze(1)
    return tongyige & (bianhao >= 0).unsqueeze(1)


def varlen_attention(query, key, value, lengths, causal=False):
    pianyi = cumulative_lengths(lengths).tolist()
    shuchu = []
    for i in range(len(lengths)):
        a, b = pianyi[i], pianyi[i + 1]
        q = query[a:b].permute(1, 0, 2)
        k = key[a:b].permute(1, 2, 0)
        v = value[a:b].permute(1, 0, 2)
        fenshu = torch.matmul(q, k) / math.sqrt(query.size(-1))
        if causal:
            weizhi = torch.arange(b - a, device=query.device)
            houmian = weizhi[None, :] > weizhi[:, None]
            fenshu = torch.where(houmian, torch.full_like(fenshu, float("-inf")), fenshu)
        quanzhong = fenshu.softmax(-1)
        shuchu.append(torch.matmul(quanzhong, v).permute(1, 0, 2))
    kong = query.new_zeros(query.size(0) - pianyi[-1], query.size(1), query.size(2))
    return torch.cat(shuchu + [kong], dim=0)
