/** A link to the page on which anybody can call the agent. */

import { api, formDialog, quiet, showSecret, tags } from "../../kit.js";

const NAME_LENGTH = 80;

const callPage = (agent, key) => `${location.origin}/call?agent=${agent.id}#key=${key}`;

/** Makes a publishable key that can only call this agent, and shows the link with it. */
export async function share(agent) {
  const made = await formDialog(`Share ${agent.name}`, {
    content: [
      tags.p("A link to a page on which anybody can talk to this agent, without a log-in."),
      quiet("Its calls use your credit. To end that, revoke its key on the page “API keys”."),
    ],
    send: () =>
      api.post("/v1/api-keys", {
        name: `Call page: ${agent.name}`.slice(0, NAME_LENGTH),
        kind: "publishable",
        allowed_channels: ["web"],
        allowed_agent_ids: [agent.id],
      }),
    words: "Make a link",
  });
  if (made) await showSecret("Your link", callPage(agent, made.key), "Link");
}
