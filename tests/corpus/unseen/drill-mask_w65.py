import torch


def padding_mask(lengths, max_length):
    # lengths: (batch,)，每个样本真实的长度
    # 位置编号 0, 1, 2, ...，小于长度的位置是真实的 token
    width = min(int(lengths.max()), max_length)
    places = torch.arange(width, device=lengths.device)
    return places.unsqueeze(0) < lengths.unsqueeze(1)


def key_mask(mask):
    # (batch, length) -> (batch, 1, 1, length)，unsqueeze 不会复制内存
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask, heads):
    # expand 只改步长，不复制；repeat 会复制
    return key_mask(mask).expand(-1, heads, mask.shape[1], -1)


def causal_mask(length):
    # 下三角，包含对角线：每个位置能看到自己和之前的位置
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


def combined_mask(mask):
    # 两个条件都要满足：不是填充，也不是未来
    causal = causal_mask(mask.shape[1]).to(mask.device)
    return key_mask(mask) & causal


def masked_weights(scores, mask):
    # 先遮住，再做 softmax
    scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1)


def additive_mask(mask, scores):
    # 能看的地方是 0，不能看的地方是 -inf
    result = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return result.masked_fill(~mask, float("-inf"))
