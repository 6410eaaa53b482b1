# right: tree-mask
import math
import torch


def tree_mask(back):
    个数 = len(back)
    看得到 = [set() for _ in range(个数)]
    掩码 = torch.zeros((个数, 个数), dtype=torch.bool, device=back.device)
    for 序号, 步数 in enumerate(back.tolist()):
        父 = 序号 - 步数
        看得到[序号] = {序号} | (看得到[父] if 父 >= 0 else set())
        for 列 in 看得到[序号]:
            掩码[序号, 列] = True
    return 掩码


def tree_attention(query, key, value, back):
    草稿 = query.shape[-2]
    前缀 = key.shape[-2] - 草稿
    掩码 = tree_mask(back)
    输出 = []
    # 每个草稿 token 只取自己看得到的 key
    for 行 in range(草稿):
        位置 = torch.cat([torch.arange(前缀, device=back.device), 掩码[行].nonzero().flatten() + 前缀])
        键, 值 = key[:, :, 位置], value[:, :, 位置]
        分数 = (键 @ query[:, :, 行, :, None]).squeeze(-1) / math.sqrt(query.shape[-1])
        权重 = torch.softmax(分数, dim=-1)
        输出.append((权重[..., None] * 值).sum(-2))
    return torch.stack(输出, dim=2)
