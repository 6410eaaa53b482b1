import torch
import torch.nn.functional as F


def tree_mask(back):
    n = back.numel()
    i = torch.arange(n, device=back.device)
    parent = i - back
    reach = torch.eye(n, device=back.device)
    rooted = parent >= 0
    reach[i[rooted], parent[rooted]] = 1.0
    # (I + P)^(2^k) covers paths of 2^k edges
    for _ in range(max(n - 1, 1).bit_length()):
        reach = torch.mm(reach, reach).clamp_(max=1.0)
    return reach > 0


def tree_attention(query, key, value, back):
    B, H, N, D = query.shape
    K = key.size(2)
    add = F.pad(torch.zeros(N, N, device=query.device).masked_fill_(~tree_mask(back).to(query.device), float("-inf")), (K - N, 0))
    s = torch.baddbmm(
        add.to(query.dtype),
        query.reshape(B * H, N, D),
        key.reshape(B * H, K, D).transpose(1, 2),
        alpha=D ** -0.5,
    )
    return torch.bmm(s.softmax(-1), value.reshape(B * H, K, D)).view(B, H, N, D)
