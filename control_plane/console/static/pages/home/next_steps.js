/** What a new account does next. */

import { api, card, linkButton, tags } from "../../kit.js";

const { li, ol, span } = tags;

export async function nextSteps(agentCount, signal) {
  const { agents } = agentCount ? await api.get("/v1/agents", { limit: 1 }, signal) : { agents: [] };
  const [newest] = agents;
  const isPublished = newest && (await api.get(`/v1/agents/${newest.id}`, {}, signal)).published_version !== null;
  const steps = [
    { words: "Describe an agent in a sentence", isDone: agentCount > 0, href: "/console/agents/new", action: "Create" },
    { words: "Publish it", isDone: isPublished, href: newest && `/console/agents/${newest.id}/publish`, action: "Publish" },
    { words: "Talk to it in this browser", isDone: false, href: isPublished && `/console/agents/${newest.id}/talk`, action: "Talk" },
  ];
  const next = steps.find(({ isDone }) => !isDone);
  const items = steps.map((step) =>
    li(
      { "data-done": String(Boolean(step.isDone)) },
      span(step.words, step.isDone && span({ class: "hidden-words" }, " (done)")),
      step === next && step.href && linkButton(step.href, step.action, "primary"),
    ),
  );
  return card("What to do next", ol({ class: "steps" }, items));
}
