/** What a new account does next. */

import { card, li, linkButton, ol, span } from "../../kit.js";

export async function nextSteps(agentCount, get) {
  const { agents } = agentCount ? await get("/v1/agents", { limit: 1 }) : { agents: [] };
  const [newest] = agents;
  const isPublished = newest && (await get(`/v1/agents/${newest.id}`)).published_version !== null;
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
