import math

import torch


def fuzi(back):
    return [i - b for i, b in enumerate(back.tolist())]


def tree_mask(back):
    shuliang = len(back)
    kejian = torch.eye(shuliang, device=back.device) == 1
    for i, fu in enumerate(fuzi(back)):
        if fu >= 0:
            kejian[i] = kejian[i] | kejian[fu]
    return kejian


def tree_attention(query, key, value, back):
    qianzhui = key.shape[2] - query.shape[2]
    d = query.shape[3]
    fenshu_qian = torch.matmul(query, key[:, :, :qianzhui].transpose(2, 3)) / math.sqrt(d)
    fenshu_shu = torch.matmul(query, key[:, :, qianzhui:].transpose(2, 3)) / math.sqrt(d)
    fenshu_shu = torch.where(tree_mask(back), fenshu_shu, float("-inf"))
    fenshu = torch.cat((fenshu_qian, fenshu_shu), dim=-1)
    quanzhong = torch.softmax(fenshu, dim=-1)
    return torch.matmul(quanzhong, value)
