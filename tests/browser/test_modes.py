"""Sentences about grad modes, other threads, memory with two storages, and tensors without a shape."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit

MODES = """\
import threading
import numpy as np
import torch
w = torch.ones(2, requires_grad=True)
with torch.no_grad(), torch.autocast("cpu"), torch.autograd.set_detect_anomaly(True):
    a = w * 2
with torch.inference_mode(), torch.autograd.graph.save_on_cpu():
    b = w * 3
array = np.ones(2)
one, two = torch.from_numpy(array), torch.from_numpy(array)
one.add_(1)
nested = torch.nested.nested_tensor([w.detach(), w.detach()])
many = torch.tensor([2**62 + 1, float("nan") == 0])
packed = torch.quantize_per_tensor(w.detach(), 0.1, 0, torch.quint8)
gate = threading.Event(); thread = threading.Thread(target=lambda: (gate.wait(), one.mul_(3)))
thread.start(); gate.set(); thread.join()
"""


def test_modes_threads_and_shared_memory(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(MODES)
    tutor.run()
    page = tutor.page
    modes = page.locator(".modes li")
    tutor.step_at(4)
    expect(modes).to_have_count(0)
    tutor.step_at(6, "Grad mode is off here")
    expect(modes).to_have_text(["grad off", "autocast bfloat16", "anomaly"])
    expect(page.locator(".story")).to_contain_text("compute in bfloat16")
    tutor.step_at(8, "Inference mode is on")
    expect(modes).to_have_text(["inference", "version check off"])
    expect(page.locator(".story")).to_contain_text("Saved-tensor hooks are on: torch does not check versions here.")
    page.get_by_role("button", name="中文").click()
    expect(modes).to_have_text(["推理", "不查版本"])
    page.get_by_role("button", name="EN").click()
    tutor.step_at(10, "two storages over the same memory")
    expect(tutor.row("two").locator(".storage-size")).to_contain_text("bytes of S")
    tutor.step_at(11, "uses the same bytes as")
    assert tutor.cells("two") == ["2.", "2."]
    expect(page.locator(".story")).not_to_contain_text("outside torch")
    tutor.step_at(12, "whose shape is not recorded")
    expect(tutor.named("nested").locator(".tensor-shape")).to_have_text("no shape")
    page.keyboard.press("End")
    assert all(len(value) <= 15 for value in tutor.cells("many")), "a long number stays within its cell"
    reason = tutor.row("packed").locator(".summary-text").all_text_contents()
    assert reason[0] == "unknown" and all(len(line) <= 18 for line in reason[1:])
    page.keyboard.press("Home")
    tutor.step_at(16, "Another thread ran during this step")
    expect(modes).to_have_text(["other thread"])
    tutor.step_at(16, "changed while another thread ran")
    tutor.shoot("modes")
