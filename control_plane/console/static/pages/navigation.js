/** The pages that the frame links to, each `[address, words, icon, isForAdministrators]`. */

export const NAVIGATION = [
  ["/console", "Home", "home"],
  ["/console/agents", "Agents", "agents"],
  ["/console/calls", "Calls", "calls"],
  ["/console/payments", "Payments", "card"],
  ["/console/billing", "Billing", "money"],
  ["/console/phones", "Phones", "phone", true],
  ["/console/notifications", "Notifications", "bell"],
  ["/console/members", "Members", "members"],
  ["/console/api-keys", "API keys", "key", true],
  ["/console/provider-keys", "Provider keys", "provider", true],
  ["/console/webhooks", "Webhooks", "webhook", true],
  ["/console/audit-log", "Audit log", "audit", true],
];
