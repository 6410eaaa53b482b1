import math

import torch


def bucket(xiangdui, bidirectional=True, num_buckets=32, max_distance=128):
    tongshu = num_buckets
    qidian = torch.zeros_like(xiangdui)
    if bidirectional:
        tongshu = num_buckets // 2
        qidian = (xiangdui > 0).long() * tongshu
        juli = xiangdui.abs()
    else:
        juli = torch.clamp(-xiangdui, min=0)
    jingque = tongshu // 2
    bilv = juli.clamp(min=jingque) / jingque
    duishu = bilv.log() / math.log(max_distance / jingque)
    bianhao = jingque + (duishu * (tongshu - jingque)).int()
    bianhao = bianhao.clamp(max=tongshu - 1)
    return qidian + torch.where(juli < jingque, juli, bianhao)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    k = torch.arange(key_length, device=table.device)
    q = torch.arange(query_length, device=table.device) + key_length - query_length
    xiangdui = k[None, :] - q[:, None]
    bianhao = bucket(xiangdui, bidirectional, table.shape[0], max_distance)
    onehot = torch.nn.functional.one_hot(bianhao, table.shape[0]).to(table.dtype)
    pianzhi = onehot @ table
    return pianzhi.movedim(-1, 0)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    n, m = query.shape[2], key.shape[2]
    fenshu = torch.matmul(query, key.transpose(2, 3))
    fenshu = fenshu + bias(table, n, m, bidirectional, max_distance)
    if not bidirectional:
        houmian = torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1)
        fenshu = fenshu.masked_fill(houmian, float("-inf"))
    quanzhong = torch.softmax(fenshu, dim=-1)
    return torch.matmul(quanzhong, value)
