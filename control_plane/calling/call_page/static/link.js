/** What the address of the page says: an agent and a key, an invitation into a call, or the page
 * of a public link or an invited tester. */

import { Trouble } from "./trouble.js";

export const agentId = new URLSearchParams(location.search).get("agent");
const secrets = new URLSearchParams(location.hash.slice(1));
export const key = secrets.get("key");

/** The call that this link invites into, if it is an invitation. */
export const invitation =
  secrets.get("call") && secrets.get("token")
    ? { call: secrets.get("call"), token: secrets.get("token") }
    : null;

/** The token of the public link or the invitation at `/s/TOKEN`. */
export const share = /^\/s\/([^/]+)$/.exec(location.pathname)?.[1] ?? null;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Throws `Trouble` if a part of the link is missing or garbled. */
export function checkLink() {
  if (share) return;
  if (ID.test(invitation ? invitation.call : key && agentId)) return;
  throw new Trouble(
    "This link is not complete",
    "A part of it is missing or was changed. Copy all of it from where you got it, or ask for a " +
      "new one.",
  );
}
