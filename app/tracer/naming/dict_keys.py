"""Names the Tensors that are keys of a dict, such as an optimizer's `state`."""

from app.trace.naming import form_of
from app.tracer import adapter
from app.tracer.naming.names import Keyed
from app.tracer.statements.activation import Activation
from app.tracer.tensors.memory import MemoryWatch


def called(memory: MemoryWatch, frames: list[Activation], keyed: list[Keyed]) -> dict[int, str]:
    """Return, for the id of each key that has a name, the plainest path to the key in these frames.

    Of two equally plain paths, the path in the earlier frame is chosen.
    """
    wanted: dict[int, bool] = {}
    for each in keyed:
        tensor = each.key.tensor
        if each.after is None and (seen := memory.known(tensor)) is not None:
            wanted[seen.serial] = adapter.type_of(tensor).endswith("Parameter")
    best: dict[int, tuple[tuple[bool, bool, int, int], str]] = {}
    for number, frame in enumerate(frames):
        for reached in frame.reached.values():
            for (path, key), (_, serial) in reached.names.items():
                is_parameter = wanted.get(serial)
                if is_parameter is None or key is not None or path.startswith("list("):
                    continue
                is_slot, is_attribute, steps = form_of(path)
                plainness = is_slot, is_parameter and not is_attribute, number, steps
                if serial not in best or plainness < best[serial][0]:
                    best[serial] = plainness, path
    return {serial: path for serial, (_, path) in best.items()}
