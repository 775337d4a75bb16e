/** What pages are made of. */

export * from "./components/act.js";
export * from "./components/badge.js";
export * from "./components/buttons.js";
export * from "./components/cards.js";
export * from "./components/choice.js";
export * from "./components/dialog.js";
export * from "./components/fields.js";
export * from "./components/filters.js";
export * from "./components/form.js";
export * from "./components/icon.js";
export * from "./components/invoices.js";
export * from "./components/later.js";
export * from "./components/notices.js";
export * from "./components/paged_table.js";
export * from "./components/problem.js";
export * from "./components/table.js";
export * from "./components/tabs.js";
export * from "./core/api.js";
export * from "./core/calls.js";
export * from "./core/elements.js";
export * from "./core/format.js";
export * from "./core/repeat.js";
export * from "./core/router.js";
export * from "./core/session.js";
