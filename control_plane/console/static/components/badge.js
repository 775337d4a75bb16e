/** A status in one word, with a colour that only supports it. */

import { span } from "../core/elements.js";
import { sentence } from "../core/format.js";

const TONES = {
  completed: "good",
  verified: "good",
  accepted: "good",
  in_progress: "live",
  ringing: "live",
  connecting: "live",
  queued: "live",
  pending: "live",
  ready: "good",
  paid: "good",
  failed: "bad",
  revoked: "bad",
};

export const badge = (status, words = sentence(status)) =>
  span({ class: `badge ${TONES[status] ?? "plain"}` }, words);
