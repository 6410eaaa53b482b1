import torch,torch.nn as N
class SelfAttentionV4(N.Module):
 def __init__(s,hidden_dim,dropout=.1):
  super().__init__();s.d=hidden_dim;s.p=dropout
  s.a=N.Parameter(torch.randn(3,s.d,s.d+1)/s.d**.5) # last column: bias
 def forward(s,x,attention_mask=None):
  X=torch.cat([x,torch.ones_like(x[...,:1])],-1)
  k,q,v=(X[None]@s.a.mT[:,None]).unbind()
  z=q@k.mT*s.d**-.5
  if attention_mask is not None:
   z=z.masked_fill(attention_mask==0,torch.finfo(z.dtype).min)
  w=z.softmax(-1)
  if s.training and s.p:
   w=w*torch.empty_like(w).bernoulli_(1-s.p)/(1-s.p) if s.p<1 else w*0
  return w@v
