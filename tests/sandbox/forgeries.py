"""Snippets that forge recordings which no recorder would write, as large as the limits of a run allow.

test_afterwards.py passes these recordings to everything that reads a recording after the run.
"""

from typing import Final

_BEGIN: Final = """
import json

def many(table, make, count=10**9):
    some, size = [], 0
    for number in range(count):
        some.append(json.dumps(make(number)))
        size += len(some[-1]) + 1
        if size > 400_000:
            emit(('{"%s":[%s]}' % (table, ','.join(some))).encode())
            some, size = [], 0
    emit(('{"%s":[%s]}' % (table, ','.join(some))).encode())

def window(storage, offset=0):
    return dict(dtype='float32', device='cpu', layout='strided', shape=[1], stride=[1], storage_offset=offset, storage=storage)

def tensor(number, storage=0, **more):
    return dict(id=number, born=1, type='Tensor', geometry=[[1, window(storage, number)]], requires_grad=[[1, True]], **more)

def step(number, **more):
    return dict(dict(id=number, kind='statement', began=2 * number + 2, ended=2 * number + 3, frame=0), **more)

def node(number, edges):
    edges = [dict(node=other, input_nr=0) for other in edges]
    return dict(id=number, name='MulBackward0', born=1, made_by=None, sequence_nr=number, edges=edges, inputs=[None])

def write(number, storage=0, tensor=0):
    return dict(id=number, tick=2 * number + 2, step=None, storage=storage, begin=0, end=4, tensor=tensor, operator='aten::add_',
                version_counter=0, version=number, changed=True)

def saved(number):
    return dict(id=number, node=0, name='self', tick=1, tensor=0, geometry=window(0), version_counter=0, version=0,
                outdated=[[2, 0]], overwritten=[[2, 0]])

def gradient(number, values):
    value = dict(kind='cells', dtype='float32', values=values)
    return dict(id=number, tick=number, step=None, node=None, edge=None, to=0, input_nr=0, shape=[len(values)], value=value)

def name(number, path=None, tensor=0):
    return dict(id=number, path=path or f'g[{number}]', frame=0, tensor=[[1, tensor]])

many('frames', lambda _: dict(id=0, function='f', began=0, line=1), 1)
many('storages', lambda _: dict(id=0, born=0, device='cpu', address='0x0', nbytes=[[0, 1 << 30]]), 1)
many('version_counters', lambda _: dict(id=0, version=[[1, 0]]), 1)
"""

AMPLIFIERS: Final = {
    "names, and gradients read": """
many('tensors', lambda i: tensor(i, grad=[[1, i]]), 2_000)
many('names', lambda i: name(i, tensor=i % 2_000), 3_000)
many('steps', lambda i: step(i, span=dict(line=1, column=0, end_line=1, end_column=5)))
""",
    "writes, and what was saved": """
many('tensors', tensor, 1)
many('nodes', lambda i: node(i, []), 1)
many('writes', write, 4_000)
many('saved_tensors', saved)
""",
    "windows on one storage": "many('tensors', tensor)",
    "tensors on storages of their own": """
many('storages', lambda i: dict(id=i + 1, born=0, device='cpu', address='0x0', nbytes=[[0, 8]]), 4_000)
many('tensors', lambda i: tensor(i, i % 4_000))
""",
    "views of views": "many('tensors', lambda i: tensor(i, base=[[1, max(i - 1, 0)]]))",
    "a dense graph": "many('nodes', lambda i: node(i, {max(i - 1, 0), i // 2, i // 3, i // 5} - {i}))",
    "a graph like a comb": "many('nodes', lambda i: node(i, range(max(0, i - 40), i)))",
    "one long chain": "many('nodes', lambda i: node(i, range(max(0, i - 1), i)))",
    "steps within steps": """
many('steps', lambda i: dict(id=i, kind='statement', began=i, ended=10**9 - i, parent=i - 1 if i else None))
""",
    "calls within calls": "many('frames', lambda i: dict(id=i + 1, function='f', began=i, line=1, parent=i))",
    "modules within modules": "many('modules', lambda i: dict(id=i, type='M', parent=i - 1 if i else None, name='m'))",
    "one name with every fact": """
many('tensors', tensor, 1)
many('names', name, 1)
many('name_updates', lambda i: dict(id=0, tensor=[[1 + i, 0], [1 + i, None]] * 50))
""",
    "gradients of numbers": """
many('nodes', lambda i: node(i, []), 1)
many('gradients', lambda i: gradient(i, [1e308, -5e-324, 'nan'] * 300))
""",
    "contents of numbers": """
cells = dict(kind='cells', dtype='float32', values=[1e308, -1e308, 'inf'] * 1000)
many('storage_updates', lambda i: dict(id=0, contents=[[1 + i, cells]]))
""",
    "output": "many('outputs', lambda i: dict(id=i, tick=i, stream='stdout', text='x' * 60_000))",
    "exceptions with long texts": """
many('steps', lambda i: step(i, kind='exception', name='E' * 4_000, message='<b>' * 20_000, frame=None))
""",
    "variables": """
many('variables', lambda i: dict(id=i, name='v' * 4_000, frame=0, value=[[1, dict(type='t' * 4_000, text='x' * 4_000)]]))
""",
}
"""Valid recordings in which the work of some code might grow faster than the recording."""

_ODD: Final = "'\\\\x00\\\\x1b]0;x\\\\x07\\\\u202e\\\\ud7ff</script><img src=x onerror=alert(1)>'"

ODDITIES: Final = {
    "control characters and markup": f"""
odd = eval({_ODD!r})
many('tensors', lambda i: dict(tensor(i), type=odd), 1)
many('names', lambda i: name(i, odd), 5)
many('modules', lambda i: dict(id=i, type=odd, name=odd), 1)
many('nodes', lambda i: dict(node(i, []), name=odd), 1)
many('steps', lambda i: step(i, kind='exception', name=odd, message=odd), 2)
""",
    "paths that only look like paths": """
many('tensors', tensor, 1)
many('names', lambda i: name(i, ('[' * 2_000, 'a' + '.b' * 2_000, '', ' ', 'x[' + '9' * 4_000 + ']', '__class__')[i % 6]), 60)
""",
    "the largest numbers": """
large = dict(window(0), shape=[2**53] * 64, stride=[2**53] * 64, storage_offset=2**53)
many('tensors', lambda i: dict(tensor(i), geometry=[[1, large]]), 1)
many('outputs', lambda i: dict(id=i, tick=2**53, stream='stdout', text='', line=2**53), 1)
many('gradients', lambda i: gradient(i, ['9' * 41, -2**53, 1.7976931348623157e308]) | dict(to=None), 1)
""",
    "spans beyond the source": """
spans = [dict(line=2**53, column=0, end_line=0, end_column=2**53), dict(line=0, column=2**53, end_line=2**53, end_column=0)]
many('steps', lambda i: step(i, span=spans[i % 2]), 4)
""",
    "the same key twice": """emit(b'{"steps": [], "steps": [], "names": [], "names": []}')""",
}
"""Unusual recordings that the format permits. They are processed without an error."""

CONTRADICTIONS: Final = {
    "ids out of range": "many('names', lambda i: name(i, tensor=2**53), 1)",
    "a graph that comes back": "many('nodes', lambda i: node(i, [(i + 1) % 3]), 3)",
    "a gradient with too few numbers": "many('gradients', lambda i: dict(gradient(i, [1.0]), to=None, shape=[2**53] * 64), 1)",
    "a number beyond 2**53": "many('writes', lambda i: dict(write(i), end=2**63), 1)",
    "a number without an end": """emit(b'{"steps": [{"id": ' + b'9' * 100_000 + b'}]}')""",
    "an id below zero": "many('steps', lambda i: step(-1), 1)",
    "a text for a number": "many('steps', lambda i: dict(step(i), began='1'), 1)",
    "a text that is too long": "many('outputs', lambda i: dict(id=i, tick=1, stream='stdout', text='x' * 65_537), 1)",
    "a list that is too long": "many('gradients', lambda i: dict(gradient(i, [1.0]), shape=[1] * 65), 1)",
    "depth in a record": """emit(b'{"steps": [{"span": ' + b'{"line": ' * 50_000)""",
    "not a number": """emit(b'{"gradients": [{"id": NaN}]}')""",
    "a word for a number": "many('gradients', lambda i: dict(gradient(i, ['1e400']), to=None), 1)",
}
"""Recordings that the format forbids. They result in an error message."""


def snippet(forgery: str) -> str:
    """Return the complete source code that sends a forged recording."""
    return _BEGIN + forgery
