/** Published versions, and back to an older one. */

import { actionColumn, api, badge, checkField, code, dateTime, formDialog, pagedTable, small } from "../../kit.js";
import { showDiff } from "./version_diff.js";

const rollBack = (agent, version) =>
  formDialog(`Back to version ${version}?`, {
    about: "It is published again as the newest version, and new calls use it at once.",
    fields: [checkField("restore_draft", "Change the draft back, too")],
    send: (given) => api.post(`/v1/agents/${agent.id}/versions/${version}/roll-back`, given),
    words: "Roll back",
    told: (made) => `Version ${made.version} takes calls now, as version ${made.restored_from} was`,
  });

function state(row) {
  if (row.is_served) return badge("verified", "Takes calls");
  return row.restored_from ? `Again version ${row.restored_from}` : "–";
}

const columns = (agent, newest) => [
  ["Version", (row) => `Version ${row.version}`, "main"],
  ["State", state],
  ["Published", "published_at", "when", dateTime],
  ["Digest", (row) => code(row.digest.replace(/^sha256:/, "").slice(0, 10))],
  actionColumn((row) => [
    small("Compare", () => showDiff(agent, newest, row.version)),
    !row.is_served && small("Roll back", () => rollBack(agent, row.version)),
  ]),
];

export const tab = ({ agent, get }) =>
  pagedTable("Versions", (rows) => columns(agent, rows[0]?.version), {
    path: `/v1/agents/${agent.id}/versions`,
    empty: "No versions yet. Publish the agent to make the first.",
    get,
  });
