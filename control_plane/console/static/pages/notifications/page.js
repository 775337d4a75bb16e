/** What happened, and who hears of it over which channels. */

import {
  act, actionColumn, ago, api, badge, buttons, mayAdminister, pagedTable, pageHead, quiet, sentence, small,
  tablePart, tags,
} from "../../kit.js";
import { recount } from "../../core/bell.js";
import { phoneSection } from "./phone.js";

const FEED = "/v1/notifications";
const PREFERENCES = `${FEED}/preferences`;

const change = (words, method, path) => small(words, () => act(() => api[method](FEED + path).then(recount)));

const FEED_COLUMNS = [
  ["What", "title", "main"],
  ["Message", "message", "long"],
  ["When", "created_at", "when", ago],
  ["State", ({ is_read }) => badge(is_read ? "read" : "unread", is_read ? "Read" : "New")],
  actionColumn(({ id, is_read }) => !is_read && change("Mark as read", "put", `/${id}/read`)),
];

/** A box that saves itself. */
function choice(row, channel, words, path) {
  const field = `${channel}_enabled`;
  const save = async ({ target: box }) => {
    const send = () => api.put(path, { event_category: row.event_category, [field]: box.checked });
    if (!(await act(send, null, () => undefined))) box.checked = !box.checked;
  };
  const name = `${words}: ${sentence(row.event_category)}`;
  return tags.input({ type: "checkbox", checked: row[field], "aria-label": name, onchange: save });
}

const CHANNELS = [
  ["in_app", "In app"],
  ["email", "Mail"],
  ["sms", "SMS"],
  ["webhook", "Webhook"],
];
/** Webhooks hear of these only if the tenant wants it; of all else they hear anyway. */
const ASKED_FOR_WEBHOOKS = ["billing.low_balance", "billing.balance_depleted"];

const columns = (path, channels) => [
  ["Category", "event_category", "main", sentence],
  ...CHANNELS.filter(([channel]) => channels.includes(channel)).map(([channel, words]) => [
    words,
    (row) => (channel !== "webhook" || ASKED_FOR_WEBHOOKS.includes(row.event_category)) && choice(row, channel, words, path),
  ]),
];

const preferences = (title, about, path, { data }, channels) =>
  tablePart(title, columns(path, channels), data, "Nothing here.", quiet(about));

export async function page({ get }) {
  const [{ channels: has }, mine, tenants] = await Promise.all([
    get(`${FEED}/status`),
    get(PREFERENCES, { scope: "all" }),
    mayAdminister() ? get(PREFERENCES) : null,
  ]);
  const persons = ["in_app", "email", ...(has.sms ? ["sms"] : [])];
  const empty = "Nothing has happened in the last 90 days.";
  return [
    pageHead("Notifications"),
    buttons(change("Mark all as read", "put", "/read-all"), change("Clear what is read", "delete", "/read")),
    await pagedTable("Notifications", FEED_COLUMNS, { path: FEED, list: "data", empty, get }),
    preferences("For you", "What you are told. It comes before what the tenant has set.", `${PREFERENCES}/me`, mine, persons),
    has.sms && (await phoneSection(get)),
    tenants &&
      preferences("For the tenant", "What members are told who have set nothing themselves.", PREFERENCES, tenants, [...persons, "webhook"]),
  ];
}
