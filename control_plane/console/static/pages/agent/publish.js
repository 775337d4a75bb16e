/** The report before publishing, and the button that publishes. */

import { formOf } from "../../components/form.js";
import { tell } from "../../components/notices.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { refresh } from "../../core/router.js";
import { findingList } from "./findings.js";

const { a, div, h2, p, section } = tags;

function publishing(agent, revision) {
  const publish = async () => {
    const headers = revision ? { "If-Match": revision } : {};
    const { version } = await api.post(`/v1/agents/${agent.id}/publish`, undefined, { headers });
    await refresh();
    tell(`Version ${version} takes calls now`);
  };
  const talk = agent.published_version && a({ href: `/console/agents/${agent.id}/talk`, class: "button" }, "Talk to it");
  return formOf([], publish, { words: "Publish", extra: [talk] });
}

export async function tab({ agent, revision, signal }) {
  const report = await api.post("/v1/agents/validate-publish", { agent_id: agent.id }, { signal });
  const { blockers, warnings, ready } = report;
  return div(
    { class: "sections" },
    section(
      { class: "card" },
      h2(ready ? "Ready to publish" : "Not ready yet"),
      p(
        ready
          ? "Publishing freezes the agent as a new version. New calls use it at once."
          : "Solve what stands below, then come back.",
      ),
      ready && publishing(agent, revision),
    ),
    blockers.length > 0 && section({ class: "card" }, h2("Must be solved"), findingList(blockers, "blocker")),
    warnings.length > 0 && section({ class: "card" }, h2("Worth a look"), findingList(warnings, "warning")),
  );
}
