/** The tenant's webhooks. */

import { ago, api, icon, pagedTable, pageHead, press, tags } from "../../kit.js";
import { webhookForm } from "./form.js";

const WEBHOOKS = "/v1/webhooks";

const register = () => webhookForm("New webhook", null, (...sent) => api.post(WEBHOOKS, ...sent), "The webhook is registered");

const COLUMNS = [
  ["Address", ({ id, url }) => tags.a({ href: `/console/webhooks/${id}` }, url), "main"],
  ["Events", ({ events }) => events.join(", "), "long"],
  ["Registered", "created_at", "when", ago],
];

export const page = async ({ signal }) => [
  pageHead("Webhooks", {
    about: "Your programs hear of calls, agents and credit as it happens.",
    actions: press([icon("plus"), "New webhook"], register, "primary"),
  }),
  await pagedTable("Webhooks", COLUMNS, { path: WEBHOOKS, empty: "No webhooks yet.", signal }),
];
