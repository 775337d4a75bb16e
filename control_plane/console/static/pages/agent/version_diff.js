/** What differs between two versions of an agent, or the draft. */

import { api, choiceField, code, div, fill, li, p, problemNotice, showDialog, tags, ul } from "../../kit.js";

const DRAFT = "draft";

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value));

function changeItem({ op, path, from, to }) {
  return li(
    code(path),
    op !== "add" && tags.del(asText(from)),
    op !== "remove" && tags.ins(asText(to)),
  );
}

/**
 * @param newest number of the newest version; every number from 1 on is one.
 * @param version what is compared with the draft at first.
 */
export function showDiff(agent, newest, version) {
  const numbers = Array.from({ length: newest }, (_, index) => String(newest - index));
  const choices = [[DRAFT, "The draft"], ...numbers.map((each) => [each, `Version ${each}`])];
  const from = choiceField("from", "From", choices);
  const to = choiceField("to", "To", choices);
  const place = div({ role: "status" });
  let asked = 0;

  async function compare() {
    const mine = ++asked;
    try {
      const path = `/v1/agents/${agent.id}/versions/${from.value()}/diff/${to.value()}`;
      const { changes } = await api.get(path);
      if (mine !== asked) return;
      fill(place, changes.length ? ul({ class: "diff", tabindex: "0", "aria-label": "Differences" }, changes.map(changeItem)) : p("They are the same."));
    } catch (error) {
      if (mine === asked) fill(place, problemNotice(error, compare));
    }
  }

  from.set(String(version));
  to.set(DRAFT);
  compare();
  return showDialog("Compare versions", div({ class: "row", onchange: compare }, from.node, to.node), place);
}
