/** The report before publishing, and the button that publishes. */

import { api, card, checkField, formOf, linkButton, p, parts, press, saving } from "../../kit.js";
import { findingList } from "./findings.js";
import { showDiff } from "./version_diff.js";

/** The only blocker that a person may overrule. */
const LIMITED = "offline_engine_follows_too_little";

function publishing(agent, headers, isLimited) {
  const publish = saving(
    (given) => api.post(`/v1/agents/${agent.id}/publish`, isLimited ? given : undefined, { headers }),
    ({ version }) => `Version ${version} takes calls now`,
  );
  const accepts = checkField("accept_limited", "Publish it as it is", {
    hint: "It then leaves out what it cannot follow.",
    required: true,
  });
  const served = agent.published_version;
  const extra = served && [
    press("See what changes", () => showDiff(agent, served, served)),
    linkButton(`/console/agents/${agent.id}/talk`, `Talk to version ${served}`),
  ];
  return formOf(isLimited ? [accepts] : [], publish, { words: "Publish", extra: [extra] });
}

function verdict(ready, isLimited) {
  if (ready) return ["Ready to publish", "Publishing freezes the agent as a new version. New calls use it at once."];
  if (isLimited) return ["It cannot follow most of its instructions", "See below what would help."];
  return ["Not ready yet", "Solve what stands below, then come back."];
}

export async function tab({ agent, ifUnchanged, signal }) {
  const report = await api.post("/v1/agents/validate-publish", { agent_id: agent.id }, { signal });
  const { blockers, warnings, ready } = report;
  const isLimited = !ready && blockers.every(({ code }) => code === LIMITED);
  const [title, words] = verdict(ready, isLimited);
  return parts(
    card(title, p(words), (ready || isLimited) && publishing(agent, ifUnchanged, isLimited)),
    blockers.length > 0 && card("Must be solved", findingList(blockers, "blocker")),
    warnings.length > 0 && card("Worth a look", findingList(warnings, "warning")),
  );
}
