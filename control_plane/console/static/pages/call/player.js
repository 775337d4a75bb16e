/** Plays a recording and shows both sides of it as waves. */

import { div, quiet, span, tags } from "../../kit.js";
import { drawWave } from "./wave.js";

/** Decoding a longer one takes more memory than a picture is worth. */
const LONGEST_WAVE_MS = 20 * 60_000;

/** The file at this origin: its address names the installation's public one. */
function ownAddress(file) {
  const { pathname, search } = new URL(file.signed_url, location.href);
  return pathname + search;
}

function without(words) {
  return { node: quiet(words), canSeek: false, seek() {}, whenAt() {} };
}

/** `{ node, canSeek, seek(seconds), whenAt(listener) }` */
export function recordingPlayer({ status, metadata }, signal) {
  if (status === "processing") return without("The recording is being written.");
  const file = metadata.stereo_mix_ogg ?? metadata.stereo_mix;
  if (!file) return without(metadata.detail ?? "There is no recording.");
  const source = ownAddress(file);
  const sound = tags.audio({ controls: true, preload: "metadata", src: source, "aria-label": "Recording" });
  const wave = tags.canvas({ class: "wave", "aria-hidden": "true" });
  const picture = div(
    { hidden: true },
    wave,
    div({ class: "wave-legend" }, span({ class: "user" }, "Caller"), span("Agent")),
  );

  const seek = (seconds) => {
    sound.currentTime = seconds;
    // Browsers may refuse to play; the position is right all the same.
    sound.play().catch(() => undefined);
  };
  if ((metadata.duration_ms ?? Infinity) <= LONGEST_WAVE_MS) drawWave(wave, source, sound, signal, seek, () => (picture.hidden = false));
  signal.addEventListener("abort", () => sound.pause());
  return {
    node: div({ class: "player" }, picture, sound),
    canSeek: true,
    seek,
    whenAt: (listener) => sound.addEventListener("timeupdate", () => listener(sound.currentTime)),
  };
}
