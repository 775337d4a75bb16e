/** Published versions: what differs between them, and back to an older one. */

import { badge } from "../../components/badge.js";
import { openDialog } from "../../components/dialog.js";
import { checkField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { growingList } from "../../components/more.js";
import { tell } from "../../components/notices.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { dateTime } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { showDiff } from "./version_diff.js";

const { button, code, div, p } = tags;
const PAGE_SIZE = 50;

async function rollBack(agent, version) {
  const done = await openDialog(`Back to version ${version}?`, (close) => {
    const restore = checkField("restore_draft", "Change the draft back, too");
    const back = async (given) => close(await api.post(`/v1/agents/${agent.id}/versions/${version}/roll-back`, given));
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    return [
      p("It is published again as the newest version, and new calls use it at once."),
      formOf([restore], back, { words: "Roll back", extra: [cancel] }),
    ];
  });
  if (!done) return;
  await refresh();
  tell(`Version ${done.version} takes calls now, as version ${done.restored_from} was`);
}

function columns(agent, newest) {
  return [
    { words: "Version", kind: "main", cell: (row) => `Version ${row.version}` },
    {
      words: "State",
      cell: (row) => (row.is_served ? badge("verified", "Takes calls") : row.restored_from ? `Again version ${row.restored_from}` : "–"),
    },
    { words: "Published", kind: "when", cell: (row) => dateTime(row.published_at) },
    { words: "Digest", cell: (row) => code(row.digest.replace(/^sha256:/, "").slice(0, 10)) },
    {
      words: "",
      kind: "actions",
      cell: (row) =>
        div(
          { class: "buttons" },
          button({ type: "button", class: "small", onclick: () => showDiff(agent, newest, row.version) }, "Compare"),
          !row.is_served &&
            button({ type: "button", class: "small", onclick: () => rollBack(agent, row.version) }, "Roll back"),
        ),
    },
  ];
}

export async function tab({ agent, signal }) {
  const load = async (offset) => {
    const query = { limit: PAGE_SIZE, offset: offset ?? 0 };
    const { versions, total } = await api.get(`/v1/agents/${agent.id}/versions`, query, signal);
    const reached = query.offset + versions.length;
    return { rows: versions, next: reached < total && versions.length ? reached : null };
  };
  const empty = "No versions yet. Publish the agent to make the first.";
  return growingList(load, (rows) => tableOf("Versions", columns(agent, rows[0]?.version), rows, empty));
}
