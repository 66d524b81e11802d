# needs cuda: what is there already is not copied
import torch
here = torch.arange(4.0, requires_grad=True)
there = here.to("cuda")
again = there.to("cuda")
back = (there * 2).cpu()
half = there.half()
later = here.detach().to("cuda", non_blocking=True)
torch.cuda.synchronize()
filled = torch.zeros(4, device="cuda")
filled.copy_(here.detach())
array = there.detach().cpu().numpy()
array[0] = 9
back.sum().backward()
print(again is there, back.tolist(), half.dtype, later.tolist(), filled.tolist(), there[0].item(), here.grad.tolist(), here.grad.device)

# True [0.0, 2.0, 4.0, 6.0] torch.float16 [0.0, 1.0, 2.0, 3.0] [0.0, 1.0, 2.0, 3.0] 0.0 [2.0, 2.0, 2.0, 2.0] cpu
