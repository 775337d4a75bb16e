/** One agent: a heading, and the tab of the address. */

import { badge, exchange, openTab, pageHead } from "../../kit.js";
import { agentActions } from "./actions.js";

const TABS = [
  { name: "configure", words: "Configure", load: () => import("./configure.js") },
  { name: "publish", words: "Publish", load: () => import("./publish.js") },
  { name: "versions", words: "Versions", load: () => import("./versions.js") },
  { name: "chat", words: "Chat", load: () => import("./chat.js") },
  { name: "talk", words: "Talk", load: () => import("./talk.js") },
  { name: "sharing", words: "Sharing", load: () => import("./sharing.js") },
  { name: "calls", words: "Calls", load: () => import("./calls.js") },
];

export async function page({ params, signal }) {
  const { document: agent, headers } = await exchange("GET", `/v1/agents/${params.id}`, { signal });
  const context = { agent, revision: headers.get("ETag"), signal };
  const { links, shown } = await openTab("Agent", `/console/agents/${agent.id}`, TABS, params.tab, context);
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
