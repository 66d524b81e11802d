"""Attacks with functions of torch and NumPy that start processes, share memory, map files, compile or use the network."""

from tests.sandbox.attacks.attack import Attack


def refused(name: str, source: str, says: str = "", *, long: bool = False) -> Attack:
    """Return an attack that calls torch and prints the error."""
    return Attack(name=name, source=source, says=says, torch=True, ends="finished", long=long)


ATTACKS = [
    refused(
        "workers of a DataLoader",
        """
import torch
from torch.utils.data import DataLoader
DataLoader._get_iterator = DataLoader._get_iterator.__wrapped__  # torch's own
attempt('DataLoader', lambda: list(DataLoader(list(range(4)), num_workers=2)))
""",
        "DataLoader: ",
    ),
    refused(
        "torch.multiprocessing",
        """
import torch.multiprocessing as processes
def work(rank): os.write(1, b'BREACH')
attempt('spawn', processes.spawn, work, (), 2)
attempt('Process', lambda: processes.Process(target=work, args=(1,)).start())
""",
    ),
    refused(
        "shared memory of tensors",
        """
import torch, torch.multiprocessing as processes
print(processes.get_all_sharing_strategies())
for strategy in ('file_descriptor', 'file_system'):
    processes.set_sharing_strategy(strategy)
    attempt(strategy, torch.ones(3).share_memory_)
attempt('UntypedStorage', lambda: torch.UntypedStorage._new_shared(100))
attempt('filename', lambda: torch.UntypedStorage._new_using_filename_cpu(100))
attempt('fd', lambda: torch.UntypedStorage._new_using_fd_cpu(100))
""",
    ),
    refused(
        "tensors over files of the host",
        """
import numpy, torch
for path in (FILE, '/etc/passwd', '/proc/self/mem', '/dev/mem'):
    attempt(path, lambda: torch.from_file(path, shared=True, size=4, dtype=torch.uint8))
    attempt(path, lambda: torch.UntypedStorage.from_file(path, False, 4))
    attempt(path, lambda: numpy.memmap(path, mode='r+'))
    attempt(path, lambda: numpy.fromfile(path, dtype='u1'))
    attempt(path, lambda: torch.load(path, mmap=True, weights_only=False))
""",
    ),
    refused(
        "a process group",
        """
import torch.distributed as distributed
distributed.init_process_group = distributed.init_process_group.__wrapped__  # torch's own
attempt('tcp', lambda: distributed.init_process_group('gloo', init_method='tcp://127.0.0.1:29500', rank=0, world_size=1))
attempt('store', lambda: distributed.TCPStore('127.0.0.1', 29501, 1, True))
attempt('without libuv', lambda: distributed.TCPStore('127.0.0.1', 29501, 1, True, use_libuv=False))
attempt('memory', lambda: distributed.init_process_group('gloo', store=distributed.HashStore(), rank=0, world_size=1))
attempt('file', lambda: distributed.init_process_group('gloo', init_method='file:///tmp/group', rank=0, world_size=1))
""",
    ),
    refused(
        "the network through torch",
        """
import torch
attempt('hub', lambda: torch.hub.load('pytorch/vision', 'resnet18', trust_repo=True))
attempt('download', lambda: torch.hub.download_url_to_file('http://127.0.0.1:%d/' % PORT, '/tmp/x'))
attempt('url', lambda: torch.hub.load_state_dict_from_url('http://127.0.0.1:%d/x.pth' % PORT))
""",
    ),
    refused(
        "compilers",
        """
import torch
attempt('inductor', lambda: torch.compile.__wrapped__(lambda x: x + 1, backend='inductor')(torch.ones(2)))
import torch.utils.benchmark as benchmark
attempt('timer', lambda: benchmark.Timer('1;', language='cpp').timeit(1))
attempt('gcc', lambda: __import__('subprocess').check_output(['gcc', '--version']))
""",
        long=True,
    ),
    refused(
        "a saved program",
        """
import io, torch
class Evil:
    def __reduce__(self): return exec, ("import os; os.execv('/bin/sh', ['sh', '-c', 'echo BREACH'])",)
for save in (lambda f: torch.save(Evil(), f), lambda f: __import__('pickle').dump(Evil(), f)):
    file = io.BytesIO(); save(file); file.seek(0)
    attempt('load', lambda: torch.load(file, weights_only=False))
attempt('jit', lambda: torch.jit.load(io.BytesIO(b'PK' + bytes(1000))))
attempt('package', lambda: torch.package.PackageImporter('/tmp/none'))
attempt('classes', lambda: torch.classes.load_library('/usr/lib/none.so'))
""",
    ),
]
