import torch


# 思路: 父子关系是严格下三角矩阵 A, 可达性 = (I + A) 的传递闭包, 反复平方即可
def tree_mask(back):
    n = back.numel()
    idx = torch.arange(n, device=back.device)
    parent = idx - back.long()
    reach = (parent[:, None] == idx[None, :]) | torch.eye(n, dtype=torch.bool, device=back.device)
    span = 1
    while span < n:                       # 每次平方, 覆盖的深度翻倍
        f = reach.float()
        reach = (f @ f) > 0.5
        span *= 2
    return reach


def tree_attention(query, key, value, back):
    m = tree_mask(back).to(query.device)
    B, H, N, D = query.shape
    L = key.size(2)
    cols = []
    for i in range(N):
        # 每个草稿 token 只取自己看得见的 key
        keep = torch.cat([torch.arange(L - N, device=query.device), L - N + m[i].nonzero().flatten()])
        k_i, v_i = key[:, :, keep].double(), value[:, :, keep].double()
        q_i = query[:, :, i].double().unsqueeze(2)
        a = (q_i * k_i).sum(-1).div(D ** 0.5)
        a = torch.exp(a - a.max(dim=-1, keepdim=True).values)
        a = a / a.sum(-1, keepdim=True)
        cols.append((a.unsqueeze(-1) * v_i).sum(2))
    return torch.stack(cols, 2).to(query.dtype)
