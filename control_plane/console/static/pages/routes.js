/**
 * Which folder has the page of an address. A page module exports
 * `page({ params, query, signal })`, which gives its nodes, an `h1` among them; `signal` is aborted
 * when the person leaves. `isPublic` pages need no login. Outside the
 * frame, a page is a narrow box unless it `isWide`.
 */

export const ROUTES = [
  { path: "/console/log-in", isPublic: true, load: () => import("./log_in/page.js") },
  { path: "/console/sign-up", isPublic: true, load: () => import("./sign_up/page.js") },
  { path: "/console/forgotten", isPublic: true, load: () => import("./forgotten/page.js") },
  { path: "/console/operator/:tab?", isPublic: true, isWide: true, load: () => import("./operator/page.js") },
  { path: "/console/confirm", hasNoFrame: true, load: () => import("./confirm/page.js") },
  { path: "/console", load: () => import("./home/page.js") },
  { path: "/console/account", load: () => import("./account/page.js") },
  { path: "/console/agents", load: () => import("./agents/page.js") },
  { path: "/console/agents/new", load: () => import("./new_agent/page.js") },
  { path: "/console/agents/:id/:tab?", load: () => import("./agent/page.js") },
  { path: "/console/calls", load: () => import("./calls/page.js") },
  { path: "/console/calls/:id", load: () => import("./call/page.js") },
  { path: "/console/billing", load: () => import("./billing/page.js") },
  { path: "/console/phones", load: () => import("./phones/page.js") },
  { path: "/console/members", load: () => import("./members/page.js") },
  { path: "/console/api-keys", load: () => import("./api_keys/page.js") },
  { path: "/console/provider-keys", load: () => import("./provider_keys/page.js") },
  { path: "/console/webhooks", load: () => import("./webhooks/page.js") },
  { path: "/console/webhooks/:id", load: () => import("./webhook/page.js") },
  { path: "/console/payments", load: () => import("./payments/page.js") },
  { path: "/console/notifications", load: () => import("./notifications/page.js") },
  { path: "/console/audit-log", load: () => import("./audit_log/page.js") },
];
