/** Who may try the agent: with its public link, or invited. */

import {
  a, act, actIfConfirmed, ago, api, badge, buttons, card, cardWith, figures, formOf, hint, linesField, number,
  numberField, p, parts, press, quiet, saving,
} from "../../kit.js";
import { testerPart } from "./testers.js";

const limit = (name, words, min, max) => numberField(name, words, { min, max, step: 1 });

const settingsFields = () => [
  limit("minutes_limit", "Minutes for all visitors together", 0, 6000),
  limit("max_call_seconds", "Longest call, in seconds", 60, 1800),
  limit("max_concurrent", "Visitors in a call at a time", 1, 10),
  limit("calls_per_ip_hour", "Calls of one visitor in an hour", 1, 30),
  linesField("allowed_origins", "Pages of yours that may show it", {
    hint: "One a line, such as https://shop.example. Empty: only the link's own page.",
    rows: 2,
  }),
];

function linkCard(path, link) {
  if (!link)
    return card(
      "Public link",
      p("A page on which anybody can talk to this agent, without a log-in, for as many minutes as you give."),
      buttons(press("Make a public link", () => act(() => api.put(path, {}), "The link works now"), "primary")),
    );
  const save = saving((given) => api.put(path, given), "The link is saved");
  const [state, words, told] = link.enabled
    ? ["On", "Switch off", "Nobody can begin a call with the link now"]
    : ["Off", "Switch on", "The link works again"];
  const turn = () => act(() => api.put(path, { enabled: !link.enabled }), told);
  const renew = () =>
    actIfConfirmed(
      ["Give the link a new address?", "The old address stops working at once. The minutes that are used stay used.", "New address"],
      () => api.post(`${path}/regenerate`),
      "The link has a new address",
    );
  return cardWith(
    "Public link",
    badge(link.enabled ? "verified" : "none", state),
    p(a({ href: link.url, target: "_blank", rel: "noopener" }, link.url)),
    figures([
      ["Minutes used", number(link.minutes_used)],
      ["Left", number(link.minutes_remaining)],
      ["Held by calls", number(link.minutes_reserved)],
      ["In a call now", number(link.live_calls)],
    ]),
    link.minutes_requested_at && hint(`A visitor asked for more minutes ${ago(link.minutes_requested_at)}.`),
    formOf(settingsFields(), save, {
      values: link,
      extra: [press(words, turn), press("New address", renew)],
    }),
  );
}

export async function tab({ agent, get }) {
  const base = `/v1/agents/${agent.id}`;
  const shared = await get(`${base}/testers`);
  return parts(
    !agent.published_version && quiet("Nobody can call the agent before it is published."),
    shared.link_feature && linkCard(`${base}/share-link`, shared.link),
    testerPart(`${base}/testers`, shared),
  );
}
