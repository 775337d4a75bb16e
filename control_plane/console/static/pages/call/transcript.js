/** What was said, turn by turn; a turn's time moves the recording there. */

import { button, clock, div, icon, li, milliseconds, ol, p, span } from "../../kit.js";

const STAGES = [
  ["end_of_turn_delay_ms", "turn over"],
  ["transcription_delay_ms", "transcribed"],
  ["llm_first_token_ms", "model"],
  ["tts_first_byte_ms", "voice"],
];

function stages(metrics) {
  if (typeof metrics?.end_to_end_ms !== "number") return null;
  const parts = STAGES.filter(([name]) => typeof metrics[name] === "number").map(([name, words]) =>
    span(`${words} ${milliseconds(metrics[name])}`),
  );
  return div({ class: "stages" }, span(`Answered in ${milliseconds(metrics.end_to_end_ms)}`), parts);
}

function turn(segment, entry, player) {
  const at = clock(segment.started_at_ms / 1000);
  const time = player?.canSeek
    ? button(
        { type: "button", class: "seek plain", "aria-label": `Play from ${at}`, onclick: () => player.seek(segment.started_at_ms / 1000) },
        icon("play"),
        at,
      )
    : span({ class: "quiet" }, at);
  return li(
    { "data-speaker": segment.speaker },
    time,
    div(
      p({ class: "who" }, segment.speaker === "agent" ? "Agent" : "Caller"),
      p({ class: "said", dir: "auto" }, segment.text, entry?.interrupted && span({ class: "quiet" }, " (interrupted)")),
      stages(entry?.metrics),
    ),
  );
}

/** @param player of player.js, or nothing if there is no recording. */
export function transcriptList({ segments, raw }, player) {
  const turns = segments.map((segment, index) => turn(segment, raw[index], player));
  player?.whenAt((seconds) => {
    const ms = seconds * 1000;
    segments.forEach((segment, index) => {
      const isNow = segment.started_at_ms <= ms && ms < segment.ended_at_ms;
      turns[index].dataset.now = String(isNow);
    });
  });
  return ol({ class: "turns" }, turns);
}
