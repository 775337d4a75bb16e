/** Requests to the API, and what its refusals mean for the person. */

import { invitation, share } from "./link.js";
import { Trouble, sentence } from "./trouble.js";

/** For an answer 503 that does not say when to ask again. */
const RETRY_MS = 2000;
/** The status of the answer to an offer for a call that is over. */
export const CALL_OVER = 410;

async function reached(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new Trouble(
      "Switchboard cannot be reached",
      "Check your connection, and that Switchboard is running, then start the call again.",
    );
  }
}

export async function request(path, options) {
  const response = await reached(path, options);
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  const detail = problem.detail ?? problem.title ?? response.statusText;
  const retryAfterMs = Number(response.headers.get("Retry-After")) * 1000 || RETRY_MS;
  throw apiTrouble(response.status, detail, retryAfterMs, problem.code);
}

/** What a visitor of a public link reads, by the code of the refusal. */
const SHARED = {
  share_not_found: ["This link does not work any more", "Ask for a new one where you got it."],
  share_link_off: ["This agent is not available", "It is off, or your invitation is over."],
  share_link_unpublished: ["This agent takes no calls right now", "Come back later."],
  share_link_pool_empty: ["No minutes are left for a call", "Try again soon, or ask for more."],
  share_link_busy: ["All lines are busy", "Try again in a few minutes."],
  share_link_rate_limited: ["You have called very often", "Try again in an hour."],
  insufficient_credits: ["Your credit does not cover a call", "Add credit, then call again."],
  share_origin_not_allowed: ["This page may not use the link", "Its owner can permit it."],
};

export function apiTrouble(status, detail, retryAfterMs, code = null) {
  if (share && SHARED[code]) return new Trouble(...SHARED[code], status, retryAfterMs);

  const titles = {
    401: "This link's key is not valid any more",
    402: "The account has no credit left",
    403: "This link may not call this agent",
    404: invitation ? "This call does not exist" : "This agent does not exist",
    409: "This agent is not ready for calls",
    [CALL_OVER]: "The call is over",
    422: "This agent cannot speak yet",
    423: "This agent is paused",
    429: "Too many calls at once",
    503: "Switchboard cannot take the call right now",
  };
  const advice = isFinal(status) ? "Ask for a new link where you got this one." : "Try again soon.";
  const title = titles[status] ?? "The call could not be placed";
  const reason = isForPrograms(status) ? "" : `${sentence(detail)} `;
  return new Trouble(title, `${reason}${advice}`, status, retryAfterMs);
}

/** Whether the API's own words say no more than the title, in words of programs. */
function isForPrograms(status) {
  return [401, 404].includes(status);
}

/** The API's own words for this are meant for programs. */
export function noRoom() {
  return new Trouble(
    "Switchboard cannot take the call right now",
    "It is busy or being restarted. Try again in a minute.",
  );
}

/** Whether an answer means that the same request will never succeed. */
export function isFinal(status) {
  return [401, 403, 404, CALL_OVER].includes(status);
}
