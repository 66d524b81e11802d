"""The memory picture of a neural network has few rows.

Tensors that only the graph keeps alive are counted. The visitor can show them in the picture and in the text view.
"""

import re
from typing import Any

import pytest
import torch
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.golden import FOLDER

LSTM = """
import torch
from torch import nn

cell = nn.LSTMCell(3, 4)
h, c = torch.zeros(2, 4), torch.zeros(2, 4)
for t in range(50):
    h, c = cell(torch.randn(2, 3), (h, c))
h.sum().backward()
"""
MOST_ROWS = 30


def test_a_recurrent_net_opens_with_few_rows_and_shows_what_is_folded_when_asked(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(LSTM)
    tutor.run()
    page = tutor.page
    rows, folds = page.locator(".memory [data-row]"), page.locator(".memory .storages")
    last = int(page.locator(".slider").get_attribute("max") or 0)
    for step in (last // 10, last):
        page.locator(".slider").fill(str(step))
        tutor.at_step(step)
        expect(folds.first).to_be_attached()
        assert rows.count() <= MOST_ROWS
    page.locator(".slider").fill("100")
    tutor.at_step(100)
    expect(folds).to_have_count(1)
    count = int(folds.get_attribute("data-folded") or 0)
    assert count > 200
    expect(page.locator(".memory-pane .outline")).to_contain_text(
        re.compile(rf"Rounds 1 to 50 of the loop on line 7\. ?{count} storages without a name, .* kept alive only by the graph")
    )
    before = rows.count()
    folding = page.get_by_role("group", name="Folding storages", exact=True)
    folding.get_by_role("button", name="Open one level", exact=True).click()
    expect(page.locator(".memory [data-fold]").nth(1)).to_be_attached()
    fold = folding.get_by_role("button", name="Fold one level", exact=True)
    fold.click()
    expect(fold).to_be_disabled()
    expect(folds).to_have_attribute("data-folded", str(count))
    assert rows.count() == before
    folds.dispatch_event("click")
    expect(page.locator(".memory [data-fold]").nth(1)).to_be_attached()
    parts = [int(each) for each in folds.evaluate_all("(all) => all.map((fold) => fold.dataset.folded)")]
    assert len(parts) > 1
    assert sum(parts) == count


def test_a_gpt_opens_with_its_parameters_folded_by_block_and_shows_a_storage_that_is_found(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write((FOLDER / "gpt-12.py").read_text("utf-8").replace("n=12", "n=4"))
    tutor.run()
    page = tutor.page
    page.locator(".slider").fill(page.locator(".slider").get_attribute("max") or "")
    rows, memory = page.locator(".memory [data-row]"), page.locator(".memory-pane .picture")
    block, inside = page.locator('[data-fold="in model.blocks[1]"]'), page.locator('[data-fold="in model.blocks[1].qkv"]')
    expect(block).to_have_attribute("data-folded", "24")
    before = rows.count()
    assert before <= MOST_ROWS
    told = page.locator(".memory-pane .outline")
    expect(told).to_contain_text(re.compile(r"Held by model\.blocks\[1\]\. ?Folded: 12 parameters and 12 gradients, 592 B\."))

    memory.focus()
    for _ in range(before):
        memory.press("ArrowDown")
        if block.locator(".chosen-frame").count() > 0:
            break
    for key, count in ((" ", before + 6), ("Enter", before)):
        memory.press(key)
        expect(rows).to_have_count(count)
        expect(block.locator(".chosen-frame")).to_be_attached()
        expect(memory).to_be_focused()

    memory.press("/")
    search = page.locator(".graph-search input")
    search.fill("model.blocks[1].qkv.weight")
    search.press("Enter")
    expect(inside).to_be_attached()
    found = page.locator('.memory [data-name="model.blocks[1].qkv.weight"]')
    expect(found.locator("..").locator(".chosen-frame")).to_be_in_viewport()
    assert rows.count() == before + 6 + 4
    expect(page.locator(".about-selection")).to_contain_text("model.blocks[1].qkv.weight")

    graph, whole = page.locator(".graph-pane .picture"), page.locator(".node-card.whole")
    for _ in range(7):
        graph.press("ArrowUp")
    expect(whole).to_contain_text("weight = model.ln.weight")


MSE = """
import torch
p = torch.zeros(8, 4, requires_grad=True)
loss = torch.nn.functional.mse_loss(p, torch.ones(8, 4))
"""


def test_bytes_that_no_tensor_reads_are_told_apart(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(MSE)
    tutor.run()
    page = tutor.page
    page.keyboard.press("End")
    row = tutor.row("loss")
    expect(row.locator(".cells-unread")).to_have_attribute("data-unread", "31")
    assert tutor.cells("loss") == ["1."]
    said = "No recorded tensor reads the last 124 bytes of S"
    expect(page.locator(".memory-pane .outline")).to_contain_text(said)
    expect(page.locator(".legend-unread")).to_have_count(1)
    row.locator(".storage-name").click()
    expect(page.locator(".about-selection")).to_contain_text(said)


STALE = """
import torch
from torch import nn
model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(40)])
loss = model(torch.ones(1, 2, requires_grad=True)).sum()
with torch.no_grad():
    for parameter in model.parameters():
        parameter.mul_(2)
"""


def test_a_fold_says_how_many_of_its_storages_are_stale(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(STALE)
    tutor.run()
    page = tutor.page
    page.keyboard.press("End")
    lines = page.locator(".memory .storages .storages-line")
    expect(lines.filter(has_text=re.compile(r"^\d+ stale, 80 parameters")).first).to_be_attached()
    expect(page.locator(".memory .storages .warning-sign").first).to_be_attached()
    expect(page.locator(".memory-pane .outline")).to_contain_text(
        re.compile(r"A write made \d+ of these saved storages stale\.")
    )
    tutor.to_start()
    expect(lines.filter(has_text="stale")).to_have_count(0)
    tutor.shoot("stale-fold")


# Returns the cell numbers of a storage in the order in which the highlighted tensor reads them.
READ_ORDER = """() => {
    const at = (rect, x, y) => `${Number(rect.getAttribute('x')) + x} ${Number(rect.getAttribute('y')) + y}`;
    const cells = new Map([...document.querySelectorAll('.memory [data-cell]')]
        .map((cell) => [at(cell.querySelector('rect'), 0, 0), Number(cell.dataset.cell)]));
    return [...document.querySelectorAll('.window-order')].filter((order) => order.getClientRects().length > 0)
        .map((order) => [...order.querySelectorAll('.order-number')]
            .map((number) => [number.textContent, cells.get(at(number.querySelector('rect'), 4, 6))]));
}"""

STRIDED = """import torch
a = torch.arange(12.).reshape(3, 4)
b = a.t()
c = a[:, 1:3]
d = a[0].expand(3, 4)
e = torch.as_strided(a, (2, 2), (5, 1))
f = a.unfold(0, 2, 1)
"""


def test_a_strided_tensor_shows_the_order_in_which_it_reads(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(STRIDED)
    tutor.run(stay=True)
    page = tutor.page
    values: dict[str, Any] = {}
    exec(STRIDED, values)
    for name in "abcdef":
        page.locator(".memory [data-label]").filter(has_text=re.compile(f"^{name}$")).first.hover()
        expect(page.locator(f'.highlighted[data-name="{name}"], .highlighted [data-name="{name}"]').first).to_be_visible()
        first: dict[int, list[int]] = {}
        for number, cell in enumerate(int(value) for value in values[name].flatten()):
            first.setdefault(cell, []).append(number)
        wanted = [[f"{read[0]}{'…' if len(read) > 1 else ''}", cell] for cell, read in first.items()]
        page.wait_for_function(
            f"(wanted) => JSON.stringify(({READ_ORDER})()) === JSON.stringify(wanted)", arg=[wanted] if name != "a" else []
        )
    page.locator('.memory .storage [data-cell="0"]').first.hover()
    page.wait_for_function(f"() => ({READ_ORDER})().length === 0")


PHOTO = """import torch
down, across = torch.meshgrid(torch.linspace(-1, 1, 64), torch.linspace(-1, 1, 40), indexing="ij")
disk = ((across**2 + down**2) < 0.6).float()
photo = torch.stack([disk * (across + 1) / 2, disk * (down + 1) / 2, 1 - disk]).unsqueeze(0)
"""
# Returns the height, the width and the RGB values of all pixels of each image in Memory.
READ_PIXELS = """async () => {
    const image = new Image();
    image.src = document.querySelector('.memory .summary-image image').getAttribute('href');
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const {data} = context.getImageData(0, 0, image.width, image.height);
    return [image.height, image.width, [...data].filter((_, place) => place % 4 !== 3)];
}"""


def test_a_tensor_of_images_is_shown_as_one(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(PHOTO)
    tutor.run(stay=True)
    expect(tutor.page.locator(".memory .summary-image")).to_have_count(1)
    height, width, pixels = tutor.page.evaluate(READ_PIXELS)
    values: dict[str, Any] = {}
    exec(PHOTO, values)
    photo = values["photo"]
    wanted = ((photo - photo.min()) / (photo.max() - photo.min()) * 255)[0, :, ::2, ::2].permute(1, 2, 0)
    assert [height, width, 3] == list(wanted.shape)
    shown = torch.tensor(pixels).reshape(wanted.shape)
    assert float((shown - wanted).abs().max()) <= 2


FREED = """import torch
kept = torch.ones(3)
def work():
    held = [torch.ones(2) * number for number in range(60)]
    return held[0].sum().item()
work()
print("done")
"""
# Whether Memory shows a storage that is not freed.
HAS_LIVING = """() => {
    const pane = document.querySelector('.memory-pane .picture').getBoundingClientRect();
    return [...document.querySelectorAll('.memory .row:not(.ghost) .storage')].map((each) => each.getBoundingClientRect())
        .some((box) => box.top >= pane.top - 1 && box.bottom <= pane.bottom + 1);
}"""


def test_a_storage_that_is_not_freed_stays_in_sight(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(FREED)
    tutor.run(stay=True)
    for key in ("End", "Home", "End"):
        tutor.page.locator("body").press(key)
        if key == "End":
            tutor.page.wait_for_function(HAS_LIVING)


CALLED = """
import torch
x = torch.ones(3)
w = torch.ones(3, requires_grad=True)
def model(x):
    a = x * 2
    b = a * w
    c = b.exp()
    d = c.log()
    return d.sum()
for step in range(3):
    loss = model(x)
    loss.backward()
with torch.no_grad():
    w -= w.grad
print(loss)
"""
STRAIGHT = "\n".join(
    [
        "import torch",
        "w = torch.ones(3, requires_grad=True)",
        "t0 = w * 2",
        *(f"t{number} = t{number - 1}.tanh() + 1\ndel t{number - 1}" for number in range(1, 18)),
        "loss = t17.sum()",
        "loss.backward()",
        "print(loss)",
    ]
)
MAIN = f"""
import torch
def main():
    {STRAIGHT.removeprefix("import torch").strip().replace(chr(10), chr(10) + "    ")}
main()
"""
ROWS = """() => [...document.querySelectorAll('.memory [data-row]')].map((row) => {
    const pane = document.querySelector('.memory-pane .picture').getBoundingClientRect();
    const {top, bottom} = (row.querySelector('.fold') ?? row.querySelector('.row-back')).getBoundingClientRect();
    return {
        key: row.dataset.row,
        top: row.querySelector('.row-back').getAttribute('y'),
        isFreed: row.classList.contains('ghost'),
        inSight: top >= pane.top - 4 && bottom <= pane.bottom + 4,
    };
})"""


@pytest.mark.parametrize("source", [CALLED, STRAIGHT, MAIN], ids=["called", "straight", "main"])
def test_freed_storages_fold_where_their_group_ends_and_what_exists_stays_in_sight(visit: Visit, source: str) -> None:
    tutor = visit(viewport={"width": 1440, "height": 900})
    tutor.open("/")
    tutor.write(source)
    tutor.run()
    page = tutor.page
    line, last = page.locator(".memory .all-freed"), int(page.locator(".slider").get_attribute("max") or 0)
    tutor.to_start()
    tops: dict[str, str] = {}
    before: tuple[str, set[str]] = ("", set())
    most = 0
    for number in range(1, last + 1):
        if number > 1:
            page.keyboard.press(".")
            tutor.at_step(number)
        rows, at = page.evaluate(ROWS), page.locator(".position-line").inner_text()
        for row in rows:
            assert tops.setdefault(row["key"], row["top"]) == row["top"], f"step {number}: {row['key']} moved"
        if before[0] == at:
            assert before[1] <= {row["key"] for row in rows}, f"step {number}: a row is gone within a line"
        before = (at, {row["key"] for row in rows})
        most = max(most, sum(row["isFreed"] for row in rows))
    assert most > 0, "what a step frees is shown as freed"

    rows = page.evaluate(ROWS)
    assert [row for row in rows if row["isFreed"] or not row["inSight"]] == [], "what exists, in sight"
    count = int(re.findall(r"\d+", line.locator(".frame-name").text_content() or "")[0])
    assert count > 8
    expect(page.locator(".memory-pane .outline")).to_contain_text(f"{count} freed storages, folded.")
    stepped = tutor.picture()
    tutor.to_start()
    page.keyboard.press("End")
    tutor.at_step(last)
    assert tutor.picture() == stepped, "a jump shows what stepping shows"
    tutor.shoot("freed-storages")

    name = line.locator(".frame-name")
    place = name.bounding_box()
    line.click()
    expect(page.locator(".memory .row.ghost").first).to_be_attached()
    assert name.bounding_box() == place, "the pressed line stays"
    expect(page.locator(".memory-pane .outline")).to_contain_text(f"{count} freed storages, each shown until")
    line.click()
    expect(page.locator(".memory .row.ghost")).to_have_count(0)


def test_what_is_followed_stays_in_sight_and_its_address_is_folded(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1440, "height": 900})
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    page = tutor.page
    page.locator('.memory [data-name="d"]').first.click()
    about = page.locator(".about-selection")
    expect(about).to_contain_text("It shares S3 with d_.")
    expect(page.get_by_role("heading", name="Memory")).to_be_visible()
    panel, written = about.bounding_box(), tutor.named("d_").bounding_box()
    assert panel and written and written["y"] + written["height"] < panel["y"], "the tensor that shares its memory is covered"
    address = about.locator("p").filter(has_text="data_ptr()")
    expect(address).to_be_hidden()
    about.get_by_text("Address").click()
    expect(address).to_be_visible()
    assert violations(page) == []
