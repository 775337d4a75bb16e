/** What happened, and over which channels the tenant and the person hear of it. */

import { badge } from "../../components/badge.js";
import { growingList } from "../../components/more.js";
import { report } from "../../components/notices.js";
import { pageHead } from "../../components/page_head.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { recount } from "../../core/bell.js";
import { tags } from "../../core/elements.js";
import { ago, sentence } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { mayAdminister } from "../../core/session.js";
import { phoneSection } from "./phone.js";

const { button, div, h2, input, p, section } = tags;
const FEED = "/v1/notifications";
const PREFERENCES = `${FEED}/preferences`;
const PAGE_SIZE = 50;

async function change(method, path) {
  try {
    await api[method](FEED + path);
    recount();
    await refresh();
  } catch (error) {
    report(error);
  }
}

const act = (words, method, path) =>
  button({ type: "button", class: "small", onclick: () => change(method, path) }, words);

const FEED_COLUMNS = [
  { words: "What", kind: "main", cell: ({ title }) => title },
  { words: "Message", kind: "long", cell: ({ message }) => message },
  { words: "When", kind: "when", cell: ({ created_at }) => ago(created_at) },
  { words: "State", cell: ({ is_read }) => badge(is_read ? "read" : "unread", is_read ? "Read" : "New") },
  {
    words: "",
    kind: "actions",
    cell: ({ id, is_read }) => (is_read ? null : act("Mark as read", "put", `/${id}/read`)),
  },
];

async function loadFeed(signal, offset) {
  const asked = { limit: PAGE_SIZE, offset: offset ?? 0 };
  const { data, total } = await api.get(FEED, asked, signal);
  const reached = asked.offset + data.length;
  return { rows: data, next: reached < total && data.length ? reached : null };
}

/** A box that saves itself. */
function choice(row, channel, words, path) {
  const field = `${channel}_enabled`;
  const save = async (event) => {
    const box = event.target;
    try {
      await api.put(path, { event_category: row.event_category, [field]: box.checked });
    } catch (error) {
      box.checked = !box.checked;
      report(error);
    }
  };
  const name = `${words}: ${sentence(row.event_category)}`;
  return input({ type: "checkbox", checked: row[field], "aria-label": name, onchange: save });
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
  { words: "Category", kind: "main", cell: ({ event_category }) => sentence(event_category) },
  ...CHANNELS.filter(([channel]) => channels.includes(channel)).map(([channel, words]) => ({
    words,
    cell: (row) =>
      (channel !== "webhook" || ASKED_FOR_WEBHOOKS.includes(row.event_category)) && choice(row, channel, words, path),
  })),
];

function preferences(title, about, path, rows, channels) {
  return section(
    { class: "sections" },
    h2(title),
    p({ class: "quiet" }, about),
    tableOf(title, columns(path, channels), rows, "Nothing here."),
  );
}

export async function page({ signal }) {
  const [{ channels: has }, mine, tenants] = await Promise.all([
    api.get(`${FEED}/status`, {}, signal),
    api.get(PREFERENCES, { scope: "all" }, signal),
    mayAdminister() ? api.get(PREFERENCES, {}, signal) : null,
  ]);
  const persons = ["in_app", "email", ...(has.sms ? ["sms"] : [])];
  return [
    pageHead("Notifications"),
    div({ class: "buttons" }, act("Mark all as read", "put", "/read-all"), act("Clear what is read", "delete", "/read")),
    await growingList(
      (offset) => loadFeed(signal, offset),
      (rows) => tableOf("Notifications", FEED_COLUMNS, rows, "Nothing has happened in the last 90 days."),
    ),
    preferences("For you", "What you are told. It comes before what the tenant has set.", `${PREFERENCES}/me`, mine.data, persons),
    has.sms && (await phoneSection(signal)),
    tenants &&
      preferences("For the tenant", "What members are told who have set nothing themselves.", PREFERENCES, tenants.data, [...persons, "webhook"]),
  ].filter(Boolean);
}
