/** Published versions: what changed, and back to an older one. */

import { badge } from "../../components/badge.js";
import { openDialog } from "../../components/dialog.js";
import { checkField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { growingList } from "../../components/more.js";
import { report, tell } from "../../components/notices.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { dateTime } from "../../core/format.js";
import { refresh } from "../../core/router.js";

const { button, code, del, div, ins, li, p, ul } = tags;
const PAGE_SIZE = 50;

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value));

function changeItem({ op, path, from, to }) {
  return li(
    code(path),
    op !== "add" && del(asText(from)),
    op !== "remove" && ins(asText(to)),
  );
}

async function compare(agent, version) {
  try {
    const { changes } = await api.get(`/v1/agents/${agent.id}/versions/${version}/diff/draft`);
    await openDialog(`From version ${version} to the draft`, (close) => [
      changes.length ? ul({ class: "diff" }, changes.map(changeItem)) : p("Nothing has changed."),
      div({ class: "buttons" }, button({ type: "button", onclick: () => close() }, "Close")),
    ]);
  } catch (error) {
    report(error);
  }
}

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

function columns(agent) {
  return [
    { words: "Version", kind: "main", cell: (row) => `Version ${row.version}` },
    {
      words: "State",
      cell: (row) => (row.is_served ? badge("verified", "Takes calls") : row.restored_from ? `Again version ${row.restored_from}` : "–"),
    },
    { words: "Published", cell: (row) => dateTime(row.published_at) },
    { words: "Digest", cell: (row) => code(row.digest.replace(/^sha256:/, "").slice(0, 10)) },
    {
      words: "",
      kind: "actions",
      cell: (row) =>
        div(
          { class: "buttons" },
          button({ type: "button", class: "small", onclick: () => compare(agent, row.version) }, "Compare with the draft"),
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
  return growingList(load, (rows) => tableOf("Versions", columns(agent), rows, empty));
}
