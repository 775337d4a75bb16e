/** Who may try the agent: with its public link, or invited. */

import {
  act, actIfConfirmed, ago, api, badge, buttons, card, cardWith, figures, formOf, hint, linesField, number, numberField,
  parts, press, quiet, saving, tags,
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
      tags.p("A page on which anybody can talk to this agent, without a log-in, for as many minutes as you give."),
      buttons(press("Make a public link", () => act(() => api.put(path, {}), "The link works now"), "primary")),
    );
  const save = saving((given) => api.put(path, given), "The link is saved");
  const turn = () => act(() => api.put(path, { enabled: !link.enabled }), link.enabled ? "Nobody can begin a call with the link now" : "The link works again");
  const renew = () =>
    actIfConfirmed(
      ["Give the link a new address?", "The old address stops working at once. The minutes that are used stay used.", "New address"],
      () => api.post(`${path}/regenerate`),
      "The link has a new address",
    );
  return cardWith(
    "Public link",
    badge(link.enabled ? "verified" : "none", link.enabled ? "On" : "Off"),
    tags.p(tags.a({ href: link.url, target: "_blank", rel: "noopener" }, link.url)),
    figures([
      ["Minutes used", number(link.minutes_used)],
      ["Left", number(link.minutes_remaining)],
      ["Held by calls", number(link.minutes_reserved)],
      ["In a call now", number(link.live_calls)],
    ]),
    link.minutes_requested_at && hint(`A visitor asked for more minutes ${ago(link.minutes_requested_at)}.`),
    formOf(settingsFields(), save, {
      words: "Save",
      values: link,
      extra: [press(link.enabled ? "Switch off" : "Switch on", turn), press("New address", renew)],
    }),
  );
}

export async function tab({ agent, signal }) {
  const base = `/v1/agents/${agent.id}`;
  const shared = await api.get(`${base}/testers`, {}, signal);
  return parts(
    !agent.published_version && quiet("Nobody can call the agent before it is published."),
    shared.link_feature && linkCard(`${base}/share-link`, shared.link),
    testerPart(`${base}/testers`, shared),
  );
}
