/**
 * Which folder has the page of an address, as `[address, folder, options]`. A folder's `page.js` exports
 * `page({ params, query, signal, get })`, which gives its nodes, an `h1` among them; `signal` is aborted
 * when the person leaves, and so is what `get(path, query)` asks the API. `isPublic` pages need no login. Outside the
 * frame, a page is a narrow box unless it `isWide`.
 */

const PAGES = [
  ["/console/log-in", "log_in", { isPublic: true }],
  ["/console/sign-up", "sign_up", { isPublic: true }],
  ["/console/forgotten", "forgotten", { isPublic: true }],
  ["/console/operator/:tab?", "operator", { isPublic: true, isWide: true }],
  ["/console/confirm", "confirm", { hasNoFrame: true }],
  ["/console", "home"],
  ["/console/account", "account"],
  ["/console/agents", "agents"],
  ["/console/agents/new", "new_agent"],
  ["/console/agents/:id/:tab?", "agent"],
  ["/console/calls", "calls"],
  ["/console/calls/:id", "call"],
  ["/console/billing", "billing"],
  ["/console/phones", "phones"],
  ["/console/members", "members"],
  ["/console/api-keys", "api_keys"],
  ["/console/provider-keys", "provider_keys"],
  ["/console/webhooks", "webhooks"],
  ["/console/webhooks/:id", "webhook"],
  ["/console/payments", "payments"],
  ["/console/notifications", "notifications"],
  ["/console/audit-log", "audit_log"],
];

export const ROUTES = PAGES.map(([path, folder, options]) => ({ path, load: () => import(`./${folder}/page.js`), ...options }));
