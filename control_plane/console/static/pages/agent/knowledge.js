/** What the agent looks up in calls, and what a question finds there. */

import {
  act, actIfConfirmed, actionColumn, ago, api, badge, div, fill, hint, number, p, parts, partWith, quiet, repeat,
  showDialog, size, small, tableOf,
} from "../../kit.js";
import { addButtons } from "./knowledge_forms.js";
import { passageList, searchCard } from "./passages.js";

const LOOK_EVERY_MS = 1500;
const MOST_PASSAGES = 100;

async function read(path, { title, chunk_count: count }) {
  const { chunks } = await api.get(path, { chunks: true, limit: MOST_PASSAGES });
  await showDialog(title, count > MOST_PASSAGES && quiet(`The first ${MOST_PASSAGES} of ${number(count)} passages.`), passageList(chunks));
}

const remove = (path, { title }, changed) =>
  actIfConfirmed([`Delete ${title}?`, "Calls that begin from now on do not know it.", "Delete"], () => api.delete(path), null, changed);

const state = ({ status, progress, failure_reason: reason, chunk_count: count }) => [
  badge(status, status === "pending" ? `Being read, ${Math.round(100 * progress)} %` : undefined),
  reason && p({ class: "fault" }, reason),
  reason && count > 0 && hint("Calls find what it said before."),
];

const columns = (base, changed) => [
  ["Source", ({ title, source_uri: uri }) => [title, uri !== title && quiet(uri)], "main long"],
  ["State", (row) => div(state(row)), "long"],
  ["Passages", "chunk_count", "number", number],
  ["Size", "bytes", "number", size],
  ["Changed", "updated_at", "when", ago],
  actionColumn((row) => {
    const path = `${base}/${row.id}`;
    return [
      row.chunk_count > 0 && small("Read", () => act(() => read(path, row), null, () => null)),
      row.kind === "url" && row.status !== "pending" && small("Fetch again", () => act(() => api.post(`${path}/refresh`), null, changed)),
      small("Delete", () => remove(path, row, changed)),
    ];
  }),
];

export async function tab({ agent, signal, get }) {
  const base = `/v1/agents/${agent.id}/knowledge-sources`;
  const search = searchCard(base);
  const place = parts();
  let shown = null;

  async function look() {
    const { sources } = await get(base);
    const now = JSON.stringify(sources);
    if (now === shown) return;
    shown = now;
    // A table that is built again loses the keyboard's focus.
    const at = [...place.querySelectorAll("button")].indexOf(document.activeElement);
    fill(place, tableOf("Sources", columns(base, look), sources, "Nothing yet. Add what callers ask about: prices, opening hours, terms."));
    place.querySelectorAll("button")[at]?.focus();
    search.hidden = !sources.some(({ chunk_count: count }) => count > 0);
  }

  await look();
  repeat(look, LOOK_EVERY_MS, signal);
  return parts(search, partWith("Sources", addButtons(base, look), place));
}
