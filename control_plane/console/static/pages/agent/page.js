/** One agent: a heading, and the tab of the address. */

import { badge, exchange, openTab, pageHead } from "../../kit.js";
import { agentActions } from "./actions.js";

const TABS = {
  configure: "Configure",
  publish: "Publish",
  versions: "Versions",
  knowledge: "Knowledge",
  chat: "Chat",
  talk: "Talk",
  sharing: "Sharing",
  calls: "Calls",
};
const load = (name) => import(`./${name}.js`);

export async function page({ params, signal, get }) {
  const { document: agent, headers } = await exchange("GET", `/v1/agents/${params.id}`, { signal });
  const revision = headers.get("ETag");
  const context = { agent, ifUnchanged: revision ? { "If-Match": revision } : {}, signal, get };
  const { links, shown } = await openTab("Agent", `/console/agents/${agent.id}`, TABS, load, params.tab, context);
  const served = agent.published_version;
  return [
    pageHead(agent.name, {
      about: served ? badge("verified", `Version ${served} takes calls`) : badge("draft", "Not published yet"),
      actions: agentActions(agent),
    }),
    links,
    shown,
  ];
}
