import torch


def start_beams(logits, keys, values, beam_size):
    bsz = logits.size(0)
    lprobs = torch.nn.functional.log_softmax(logits, dim=-1)
    new_order = torch.arange(bsz, device=logits.device).view(-1, 1).repeat(1, beam_size).view(-1)
    scores_buf, indices_buf = torch.topk(lprobs, k=beam_size)
    return scores_buf, indices_buf, keys.index_select(0, new_order), values.index_select(0, new_order)


def beam_step(scores, logits, keys, values, finished, eos):
    bsz, beam_size = scores.shape
    lprobs = torch.nn.functional.log_softmax(logits, dim=-1)
    vocab_size = lprobs.size(-1)
    finished_mask = finished.view(-1)
    lprobs[finished_mask, :] = -float("inf")
    lprobs[finished_mask, eos] = 0
    lprobs = lprobs.view(bsz, beam_size, vocab_size)
    lprobs.add_(scores.unsqueeze(-1))

    # Twice as many, as half of them may end here; then the first half.
    k = min(2 * beam_size, beam_size * vocab_size - 1) if beam_size * vocab_size > 1 else 1
    cand_scores, cand_indices = torch.topk(lprobs.view(bsz, -1), k=max(k, beam_size))
    cand_beams = cand_indices.div(vocab_size, rounding_mode="floor")
    cand_tokens = cand_indices.fmod(vocab_size)

    active_scores = cand_scores[:, :beam_size]
    active_beams = cand_beams[:, :beam_size]
    active_tokens = cand_tokens[:, :beam_size]
    bbsz_offsets = (torch.arange(0, bsz, device=logits.device) * beam_size).unsqueeze(1)
    active_bbsz_idx = active_beams.add(bbsz_offsets).view(-1)
    done = torch.index_select(finished_mask, 0, active_bbsz_idx).view(bsz, beam_size)
    done = done | active_tokens.eq(eos)
    keys = keys.index_select(0, active_bbsz_idx)
    values = values.index_select(0, active_bbsz_idx)
    return active_scores, active_tokens, active_beams, done, keys, values


def trace_back(tokens, parents):
    # The tensorflow op gather_tree, for whole tensors.
    max_time, bsz, beam_size = tokens.shape
    beams = torch.empty_like(tokens)
    parent = torch.arange(beam_size, device=tokens.device).view(1, -1).expand(bsz, -1)
    level = max_time - 1
    while level >= 0:
        beams[level] = torch.gather(tokens[level], -1, parent)
        parent = torch.gather(parents[level], -1, parent)
        level -= 1
    return beams.permute(1, 2, 0).contiguous()


def best_sequence(sequences, scores, lengths, alpha):
    lp = (5 + lengths.float()) ** alpha / (5 + 1) ** alpha
    normalized = scores / lp
    sorted_scores, order = normalized.sort(dim=1, descending=True)
    index = order[:, :1, None].expand(-1, -1, sequences.size(2))
    return torch.gather(sequences, 1, index)[:, 0, :], sorted_scores[:, 0]
