# attn-kata: beam-search
import heapq
import torch


def start_beams(logits, keys, values, beams):
    n, V = logits.shape
    S, T, K, W = [], [], [], []
    for b in range(n):
        lp = torch.log_softmax(logits[b], 0).tolist()
        best = heapq.nlargest(beams, range(V), key=lambda t: lp[t])
        S.append([lp[t] for t in best])
        T.append(best)
        for _ in best:
            K.append(keys[b])
            W.append(values[b])
    return logits.new_tensor(S), torch.tensor(T, device=logits.device), torch.stack(K), torch.stack(W)


def beam_step(scores, logits, keys, values, finished, eos):
    n, m = scores.shape
    lp = logits.log_softmax(-1).tolist()
    sc = scores.tolist()
    fin = finished.tolist()
    S, T, P, Fi, rows = [], [], [], [], []
    for b in range(n):
        pq = []
        for k in range(m):
            if fin[b][k]:
                nxt = [(sc[b][k], k, eos)]
            else:
                nxt = ((sc[b][k] + x, k, t) for t, x in enumerate(lp[b * m + k]))
            for c in nxt:
                if len(pq) < m:
                    heapq.heappush(pq, c)
                elif c > pq[0]:
                    heapq.heapreplace(pq, c)
        pq.sort(reverse=True)
        S.append([s for s, _, _ in pq])
        P.append([k for _, k, _ in pq])
        T.append([t for _, _, t in pq])
        Fi.append([fin[b][k] or t == eos for _, k, t in pq])
        rows += [b * m + k for _, k, _ in pq]
    dev = scores.device
    rows = torch.tensor(rows, device=dev)
    return (scores.new_tensor(S), torch.tensor(T, device=dev), torch.tensor(P, device=dev),
            torch.tensor(Fi, device=dev), keys.index_select(0, rows), values.index_select(0, rows))


def trace_back(tokens, parents):
    tok, par = tokens.tolist(), parents.tolist()
    n, B, m = tokens.shape
    ans = []
    for b in range(B):
        rows = []
        for k in range(m):
            seq, cur = [], k
            for t in range(n - 1, 0, -1):
                seq.append(tok[t][b][cur])
                cur = par[t][b][cur]
            seq.append(tok[0][b][cur])
            rows.append(seq[::-1])
        ans.append(rows)
    return torch.tensor(ans, device=tokens.device)


def best_sequence(sequences, scores, lengths, alpha):
    sc, ln = scores.tolist(), lengths.tolist()
    seqs, vals = [], []
    for b in range(len(sc)):
        pen = [s / ((5 + l) / 6) ** alpha for s, l in zip(sc[b], ln[b])]
        i = pen.index(max(pen))
        seqs.append(sequences[b, i])
        vals.append(pen[i])
    return torch.stack(seqs), scores.new_tensor(vals)
