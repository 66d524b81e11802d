/** Advances to the next step automatically while a run is played. */

import { useEffect } from "../../../vendor/ui.js";
import { goBy, heldStops, isPlaying, speed, step, stepCount } from "../../state/store.js";

/** The time in ms for which a step is shown while playing at 1×. */
const PACE_MS = 1400;

/** A hook that plays the run, when playing is on, as long as the calling component is on the page. */
export function usePlay() {
  const k = step.value;
  useEffect(() => {
    if (!isPlaying.value || stepCount.value === 0) return undefined;
    if (k >= (heldStops.value?.last ?? stepCount.value - 1)) {
      isPlaying.value = false;
      return undefined;
    }
    const timer = setTimeout(() => goBy(1), PACE_MS / speed.value);
    return () => clearTimeout(timer);
  }, [isPlaying.value, k, stepCount.value, speed.value, heldStops.value]);
}
