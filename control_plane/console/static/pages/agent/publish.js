/** The report before publishing, and the button that publishes. */

import { checkField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { tell } from "../../components/notices.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { refresh } from "../../core/router.js";
import { findingList } from "./findings.js";
import { showDiff } from "./version_diff.js";

const { a, button, div, h2, p, section } = tags;

/** The only blocker that a person may overrule. */
const LIMITED = "offline_engine_follows_too_little";

function publishing(agent, revision, isLimited) {
  const publish = async (given) => {
    const headers = revision ? { "If-Match": revision } : {};
    const { version } = await api.post(`/v1/agents/${agent.id}/publish`, isLimited ? given : undefined, { headers });
    await refresh();
    tell(`Version ${version} takes calls now`);
  };
  const accepts = checkField("accept_limited", "Publish it as it is", {
    hint: "It then leaves out what it cannot follow.",
    required: true,
  });
  const served = agent.published_version;
  const extra = served && [
    button({ type: "button", onclick: () => showDiff(agent, served, served) }, "See what changes"),
    a({ href: `/console/agents/${agent.id}/talk`, class: "button" }, `Talk to version ${served}`),
  ];
  return formOf(isLimited ? [accepts] : [], publish, { words: "Publish", extra: [extra] });
}

function verdict(ready, isLimited) {
  if (ready) return ["Ready to publish", "Publishing freezes the agent as a new version. New calls use it at once."];
  if (isLimited) return ["It cannot follow most of its instructions", "See below what would help."];
  return ["Not ready yet", "Solve what stands below, then come back."];
}

export async function tab({ agent, revision, signal }) {
  const report = await api.post("/v1/agents/validate-publish", { agent_id: agent.id }, { signal });
  const { blockers, warnings, ready } = report;
  const isLimited = !ready && blockers.every(({ code }) => code === LIMITED);
  const [title, words] = verdict(ready, isLimited);
  return div(
    { class: "sections" },
    section({ class: "card" }, h2(title), p(words), (ready || isLimited) && publishing(agent, revision, isLimited)),
    blockers.length > 0 && section({ class: "card" }, h2("Must be solved"), findingList(blockers, "blocker")),
    warnings.length > 0 && section({ class: "card" }, h2("Worth a look"), findingList(warnings, "warning")),
  );
}
