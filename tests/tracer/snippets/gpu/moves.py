import torch
c = torch.ones(2)
x = c.cuda()
print(x.to('cuda') is x, x.cuda() is x, x.to('cuda', torch.float32) is x, x.to(x) is x, x.to('cuda', copy=True) is x)
print(c.cpu() is c, x.cpu() is x, x.cpu().device, c.to(x).device, x.half().device, x.to(torch.int64).device)
print(x.type(), c.type(), x.type('torch.cuda.DoubleTensor').dtype, c.type_as(x).device, x.get_device(), c.get_device())
x[0] = 5; print(c[0].item())

# True True True True False
# True False cpu cuda:0 cuda:0 cuda:0
# torch.cuda.FloatTensor torch.FloatTensor torch.float64 cuda:0 0 -1
# 1.0
