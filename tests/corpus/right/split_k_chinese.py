# right: split-k
import math

import torch


def chunk_attention(query, key, value, seen):
    # 分数
    fenshu = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    fenshu = fenshu.masked_fill(~seen[:, None, None, :], float("-inf"))
    zuida = fenshu.max(dim=-1, keepdim=True).values
    # 整块都被遮住时最大值是 -inf，换成 0 防止 nan
    zuida = torch.nan_to_num(zuida, neginf=0.0)
    zhishu = torch.exp(fenshu - zuida)
    zonghe = zhishu.sum(dim=-1, keepdim=True)
    shuchu = zhishu @ value / zonghe.clamp(min=1e-6)
    return shuchu, (zuida + torch.log(zonghe)).squeeze(-1)


def merge(outputs, lses):
    zuida = lses.max(dim=0).values
    zuida = torch.where(zuida == -torch.inf, torch.zeros_like(zuida), zuida)
    quanzhong = torch.exp(lses - zuida)
    zonghe = quanzhong.sum(dim=0)
    fenmu = torch.where(zonghe == 0, torch.ones_like(zonghe), zonghe)
    hebing = (quanzhong.unsqueeze(-1) * outputs).sum(dim=0) / fenmu.unsqueeze(-1)
    return hebing, zuida + torch.log(zonghe)


def split_k_attention(query, key, value, lengths, splits):
    changdu = key.shape[2]
    kuai = (changdu - 1) // splits + 1
    jieguo = []
    for qishi in range(0, changdu, kuai):
        weizhi = torch.arange(qishi, min(qishi + kuai, changdu), device=key.device)
        jieguo.append(chunk_attention(query, key[:, :, qishi:qishi + kuai],
                                      value[:, :, qishi:qishi + kuai],
                                      weizhi.unsqueeze(0) < lengths.unsqueeze(1)))
    return merge(torch.stack([x[0] for x in jieguo]), torch.stack([x[1] for x in jieguo]))[0]
