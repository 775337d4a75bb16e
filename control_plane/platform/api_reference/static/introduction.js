// What stands before the first operation: where the API is, how to get in, what errors look like.

import { node, prose } from "./nodes.js";
import { sample } from "./operation_view.js";

const SCHEME_TITLES = {
  api_key: "API key", dashboard_session: "Dashboard session", operator_token: "Operator token", access_token: "Access token",
};
const PROBLEM = {
  type: "about:blank", title: "Agent not found", status: 404, detail: "There is no agent with this id.",
  code: "agent_not_found", request_id: "8f14e45f-ceea-467f-9c2d-3b1f0a6b7d21",
};

export function introduction(document, origin) {
  const { info, components } = document;
  return node("section", { class: "introduction", id: "top" },
    node("div", { class: "words" },
      node("h1", {}, `${info.title} API`),
      node("p", { class: "lead" }, info.summary),
      prose(info.description),
      node("h4", {}, "Ways to be let in"),
      node("ul", { class: "fields" }, Object.entries(components.securitySchemes).map(([name, scheme]) =>
        node("li", { class: "field" },
          node("p", { class: "field-head" }, node("strong", {}, SCHEME_TITLES[name] ?? name),
            node("span", { class: "kind" }, scheme.in === "cookie" ? `cookie ${scheme.name}` : "Authorization: Bearer …")),
          prose(scheme.description))))),
    node("div", { class: "samples" },
      sample("Address of this API", origin, "Copy"),
      sample("What an error looks like", JSON.stringify(PROBLEM, null, 2)),
      node("p", { class: "aside" }, "For programs: ", node("a", { href: "/openapi.json" }, "OpenAPI document"), ".")));
}
