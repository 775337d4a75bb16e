/** The pages that the frame links to, in their order. */

export const NAVIGATION = [
  { path: "/console", words: "Home", icon: "home" },
  { path: "/console/agents", words: "Agents", icon: "agents" },
  { path: "/console/calls", words: "Calls", icon: "calls" },
  { path: "/console/payments", words: "Payments", icon: "card" },
  { path: "/console/billing", words: "Billing", icon: "money" },
  { path: "/console/phones", words: "Phones", icon: "phone", forAdministrators: true },
  { path: "/console/notifications", words: "Notifications", icon: "bell" },
  { path: "/console/members", words: "Members", icon: "members" },
  { path: "/console/api-keys", words: "API keys", icon: "key", forAdministrators: true },
  { path: "/console/provider-keys", words: "Provider keys", icon: "provider", forAdministrators: true },
  { path: "/console/webhooks", words: "Webhooks", icon: "webhook", forAdministrators: true },
  { path: "/console/audit-log", words: "Audit log", icon: "audit", forAdministrators: true },
];
