import torch


def tree_mask(back):
    n = back.numel()
    i = torch.arange(n, device=back.device)
    parent = i - back
    # one step up, as a matrix; its powers lead to all ancestors
    step = (parent[:, None] == i[None, :]).float()
    self_ = torch.eye(n, dtype=torch.float32, device=back.device)
    reach = self_
    for _ in range(n):
        reach = ((reach @ step + self_) > 0).float()
    return reach.bool()


def tree_attention(query, key, value, back):
    n = query.shape[2]
    prefix_k, draft_k = key[:, :, :-n], key[:, :, -n:]
    s = torch.cat([query @ prefix_k.mT, (query @ draft_k.mT).masked_fill(~tree_mask(back), -torch.inf)], -1)
    return (s / query.shape[-1] ** 0.5).softmax(-1) @ value
