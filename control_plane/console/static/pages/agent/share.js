/** A link to the page on which anybody can call the agent. */

import { openDialog } from "../../components/dialog.js";
import { formOf } from "../../components/form.js";
import { showSecret } from "../../components/secret.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";

const { button, p } = tags;
const NAME_LENGTH = 80;

const callPage = (agent, key) => `${location.origin}/call?agent=${agent.id}#key=${key}`;

/** Makes a publishable key that can only call this agent, and shows the link with it. */
export async function share(agent) {
  const made = await openDialog(`Share ${agent.name}`, (close) => {
    const make = async () => {
      const wanted = {
        name: `Call page: ${agent.name}`.slice(0, NAME_LENGTH),
        kind: "publishable",
        allowed_channels: ["web"],
        allowed_agent_ids: [agent.id],
      };
      close(await api.post("/v1/api-keys", wanted));
    };
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    return [
      p("A link to a page on which anybody can talk to this agent, without a log-in."),
      p({ class: "quiet" }, "Its calls use your credit. To end that, revoke its key on the page “API keys”."),
      formOf([], make, { words: "Make a link", extra: [cancel] }),
    ];
  });
  if (made) await showSecret("Your link", callPage(agent, made.key), "Link");
}
