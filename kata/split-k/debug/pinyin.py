import torch


def chunk_attention(q, k, v, kejian):
    fenshu = torch.matmul(q, k.transpose(2, 3)) / q.shape[3] ** 0.5
    fenshu = fenshu.masked_fill(kejian.logical_not()[:, None, None], float("-inf"))
    zuida = fenshu.amax(dim=3, keepdim=True)
    zuida = torch.where(torch.isinf(zuida), torch.zeros_like(zuida), zuida)
    fenzi = (fenshu - zuida).exp()
    fenmu = fenzi.sum(dim=3, keepdim=True)
    jieguo = torch.matmul(fenzi, v)
    jieguo = torch.where(fenmu > 0, jieguo / fenmu, torch.zeros_like(jieguo))
    lse = zuida.squeeze(3) + fenmu.squeeze(3).log()
    return jieguo, lse


def merge(jieguo, lse):
    zuida = lse.amax(dim=0)
    zuida = torch.where(torch.isinf(zuida), torch.zeros_like(zuida), zuida)
    quan = (lse - zuida).exp()
    zong = quan.sum(dim=0)
    bili = torch.where(zong > 0, quan / zong, torch.zeros_like(quan))
    hebing = (bili.unsqueeze(-1) * jieguo).sum(dim=0)
    return hebing, zuida + zong.log()


def split_k_attention(q, k, v, lengths, splits):
    changdu = k.shape[2]
    weizhi = torch.arange(changdu, device=k.device)
    kejian = weizhi[None, :] < lengths[:, None]
    gege = []
    for duan in weizhi.chunk(splits):
        gege.append(chunk_attention(q, k[:, :, duan], v[:, :, duan], kejian[:, duan]))
    jieguo = torch.stack([yi for yi, _ in gege])
    lse = torch.stack([er for _, er in gege])
    return merge(jieguo, lse)[0]
