/** Splits long work into slices of about 12 ms, so that the page can handle events between them. */

/** The length of a slice in ms. A slice is shorter than a frame of the screen, which takes 16.7 ms. */
const SLICE_MS = 12;

/**
 * Runs a generator to its end, in slices between which the page handles events. Rejects if the signal is
 * aborted.
 * @template T
 * @param {Generator<void, T>} work
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function inSlices(work, signal) {
  let until = performance.now() + SLICE_MS;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    if (performance.now() < until) continue;
    await pause();
    signal?.throwIfAborted();
    until = performance.now() + SLICE_MS;
  }
}

/**
 * Lets the page handle pending events. A message channel is used because browsers delay repeated timers by
 * at least 4 ms.
 */
export function pause() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(null);
  });
}
