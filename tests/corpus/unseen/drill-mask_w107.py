import torch


def get_padding_mask(sequence_lengths, max_length):
    position_ids = torch.arange(max_length, device=sequence_lengths.device)[None]
    return position_ids < sequence_lengths[:, None]


def invert_attention_mask(attention_mask, dtype):
    inverted_mask = 1.0 - attention_mask.to(dtype)
    return inverted_mask.masked_fill(inverted_mask.bool(), torch.finfo(dtype).min)


def padding_mask(lengths, max_length):
    return get_padding_mask(lengths, max_length)


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    bsz, src_len = mask.size()
    return mask[:, None, None, :].expand(bsz, heads, src_len, src_len)


def causal_mask(length):
    return torch.ones((length, length), dtype=torch.bool).tril()


def combined_mask(mask):
    extended = key_mask(mask)
    return torch.logical_and(extended, causal_mask(mask.size(1)).to(mask.device)[None, None])


def masked_weights(scores, mask):
    attention_scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    return torch.nn.functional.softmax(attention_scores, dim=-1)


def additive_mask(mask, scores):
    return invert_attention_mask(mask, scores.dtype)
