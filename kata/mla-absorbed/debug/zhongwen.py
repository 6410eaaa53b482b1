import torch


def xuanzhuan(x, weizhi):
    kuan = x.shape[-1]
    jingdu = torch.float64 if x.dtype == torch.float64 else torch.float32
    pinlv = 10000.0 ** (-torch.arange(0, kuan, 2, device=x.device, dtype=jingdu) / kuan)
    jiao = weizhi[..., None].to(jingdu) * pinlv
    qian, hou = x.to(jingdu).split(kuan // 2, dim=-1)
    zuo = qian * jiao.cos() - hou * jiao.sin()
    you = hou * jiao.cos() + qian * jiao.sin()
    return torch.cat((zuo, you), dim=-1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat((latent, xuanzhuan(key_rope, positions)), dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, q, d = query_content.shape
    r = query_rope.size(-1)
    qian = cache[:, :, :-r]
    xuan = cache[:, :, -r:]
    quan = kv_up.reshape(h, 2 * d, qian.size(-1))
    quan_k = quan[:, :d]
    quan_v = quan[:, d:]
    weizhi = lengths.view(b, 1) - q + torch.arange(q, device=cache.device)
    zhuan = xuanzhuan(query_rope, weizhi.view(b, 1, q))
    xishou = torch.einsum("bhqd,hdc->bhqc", query_content, quan_k)
    fenshu = torch.einsum("bhqc,bkc->bhqk", xishou, qian)
    fenshu = fenshu + torch.einsum("bhqr,bkr->bhqk", zhuan, xuan)
    fenshu = fenshu / (d + r) ** 0.5
    hou = torch.arange(cache.size(1), device=cache.device) > weizhi.view(b, q, 1)
    fenshu = fenshu.masked_fill(hou.view(b, 1, q, -1), float("-inf"))
    fenshu = fenshu - fenshu.amax(dim=-1, keepdim=True)
    fenzi = fenshu.exp()
    quanzhong = fenzi / fenzi.sum(dim=-1, keepdim=True)
    hunhe = torch.einsum("bhqk,bkc->bhqc", quanzhong, qian)
    return torch.einsum("bhqc,hdc->bhqd", hunhe, quan_v)
