/** The tenant's webhooks. */

import { a, adding, ago, api, pagedTable, pageHead } from "../../kit.js";
import { webhookForm } from "./form.js";

const WEBHOOKS = "/v1/webhooks";

const register = () => webhookForm("New webhook", null, (...sent) => api.post(WEBHOOKS, ...sent), "The webhook is registered");

const COLUMNS = [
  ["Address", ({ id, url }) => a({ href: `/console/webhooks/${id}` }, url), "main"],
  ["Events", ({ events }) => events.join(", "), "long"],
  ["Registered", "created_at", "when", ago],
];

export const page = async ({ get }) => [
  pageHead("Webhooks", {
    about: "Your programs hear of calls, agents and credit as it happens.",
    actions: adding("New webhook", register),
  }),
  await pagedTable("Webhooks", COLUMNS, { path: WEBHOOKS, empty: "No webhooks yet.", get }),
];
