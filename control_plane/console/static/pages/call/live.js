/** A call while it runs, from its event stream. */

import { cardWith, div, fill, isOver, li, ol, p, quiet } from "../../kit.js";

const AGAIN_AFTER_MS = 9000;
const STATES = { listening: "The agent listens.", thinking: "The agent thinks.", speaking: "The agent speaks." };

/** @param ended is called once the call is over, or cannot be followed any more. */
export function liveTranscript(call, signal, ended) {
  const list = ol({ class: "turns", "aria-live": "polite", "aria-relevant": "additions" });
  const state = quiet("Waiting for the call to begin.");
  const said = new Map();

  function utter({ utterance, sequence, speaker, text, is_final: isFinal }) {
    const id = `${speaker}-${utterance ?? sequence}`;
    if (!said.has(id)) said.set(id, list.appendChild(li({ "data-speaker": speaker })));
    const item = said.get(id);
    item.dataset.final = String(isFinal);
    item.hidden = !text;
    const who = p({ class: "who" }, speaker === "agent" ? "Agent" : "Caller");
    fill(item, div(who, p({ class: "said", dir: "auto" }, text)));
    item.scrollIntoView({ block: "nearest" });
  }

  function change({ subject, state: name }) {
    if (subject === "agent") fill(state, STATES[name] ?? "");
    if (subject !== "call") return;
    if (name === "in_progress") fill(state, "The call is in progress.");
    if (isOver(name)) {
      source.close();
      ended();
    }
  }

  const source = new EventSource(`/v1/calls/${call.id}/stream`);
  source.addEventListener("transcript", ({ data }) => utter(JSON.parse(data)));
  source.addEventListener("state", ({ data }) => change(JSON.parse(data)));
  // Only after a broken connection it comes back by itself.
  source.onerror = () => source.readyState === EventSource.CLOSED && setTimeout(() => signal.aborted || ended(), AGAIN_AFTER_MS);
  signal.addEventListener("abort", () => source.close());
  return cardWith("Conversation", state, list);
}
