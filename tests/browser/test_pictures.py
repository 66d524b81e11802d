"""Chromium decodes an exported animation to the pixels that were encoded."""

import base64

import numpy as np
from playwright.sync_api import Page

from tests.apng import animated, still
from tests.browser.conftest import Visit
from tests.pictures import pixels

DECODE = """async (png) => {
    const data = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
    const decoder = new ImageDecoder({data, type: 'image/png', preferAnimation: true});
    await decoder.tracks.ready;
    await decoder.completed;
    const frames = [];
    for (let frameIndex = 0; frameIndex < decoder.tracks.selectedTrack.frameCount; frameIndex += 1) {
        const {image} = await decoder.decode({frameIndex});
        const context = new OffscreenCanvas(image.displayWidth, image.displayHeight).getContext('2d');
        context.drawImage(image, 0, 0);
        const {data} = context.getImageData(0, 0, image.displayWidth, image.displayHeight);
        frames.push([image.duration / 1000, btoa(String.fromCharCode(...data))]);
    }
    return frames;
}"""


def decoded(page: Page, png: bytes) -> list[tuple[int, bytes]]:
    """Return the duration and the pixels of each frame."""
    return [(lasts, base64.b64decode(data)) for lasts, data in page.evaluate(DECODE, base64.b64encode(png).decode())]


def test_frames_come_out_as_they_went_in(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    numbers = np.random.default_rng(0)
    first = numbers.integers(0, 256, (13, 17, 4), np.uint8)
    first[..., 3] = 255
    written, corner = first.copy(), first.copy()
    written[2:9, 3:11, :3] ^= 0x55
    written[5, 6] = first[5, 6]
    corner[-1, -1, :3] = 0
    frames = [first, written, written, corner]
    lasts = [1000, 3000, 500, 1000]
    assert decoded(tutor.page, animated(frames, lasts)) == [
        (each, frame.tobytes()) for each, frame in zip(lasts, frames, strict=True)
    ]
    assert (pixels(tutor.page, still(written)) == written).all()
