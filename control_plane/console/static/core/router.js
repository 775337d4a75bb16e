/**
 * Shows the page of the address. Links load no document again; focus moves to the new page's heading, so
 * that a screen reader reads it.
 */

import { act } from "../components/act.js";
import { oneAtATime } from "../components/buttons.js";
import { logInAgain } from "../components/log_in_again.js";
import { problemNotice } from "../components/problem.js";
import { frame, withoutFrame } from "./frame.js";
import { api, whenSessionIsLost } from "./api.js";
import { fill, h1, p } from "./elements.js";
import { enter, session } from "./session.js";

const HOME = "/console";
const LOG_IN = "/console/log-in";
const CONFIRM = "/console/confirm";
/** Loading is not shown for pages that are there at once. */
const LOADING_AFTER_MS = 150;

let routes = [];
let leaving = new AbortController();
let unsaved = () => false;
/** The address of the page that is shown. */
let here = "";

/** While `changed` answers true, leaving the page asks first. Forgotten with the page. */
export function guardUnsaved(changed) {
  unsaved = changed;
}

function mayLeave() {
  return !unsaved() || confirm("Leave the page? What you changed is not saved.");
}

function pattern(path) {
  const source = path.replace(/\/:(\w+)\?/g, "(?:/(?<$1>[^/]+))?").replace(/:(\w+)/g, "(?<$1>[^/]+)");
  return new RegExp(`^${source}/?$`);
}

/** Goes to an address of the console. */
export function navigate(to, { replace = false } = {}) {
  if (!mayLeave()) return;
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  show();
}

/** Does `work`, which ends what the page shows, and goes to `to`. Asks first, if something is not saved. */
export function leaveFor(to, work) {
  const go = () => {
    unsaved = () => false;
    navigate(to);
  };
  return mayLeave() && act(work, null, go);
}

/** Shows the page again, with what the API says now. */
export function refresh() {
  unsaved = () => false;
  return show({ keepsFocus: true });
}

/** `refresh` for later, which leaves another page alone: the person may have typed there. */
export function refreshHere() {
  const from = here;
  return () => from === here && refresh();
}

function found(pathname) {
  for (const route of routes) {
    const match = route.pattern.exec(pathname);
    if (match) return { route, params: match.groups ?? {} };
  }
  return { route: null, params: {} };
}

/** Where the person must go first, if anywhere. */
function detour(route) {
  const me = session();
  const here = location.pathname + location.search;
  if (!route?.isPublic && !me) {
    return here === HOME ? LOG_IN : `${LOG_IN}?next=${encodeURIComponent(here)}`;
  }
  if (me?.user?.email_confirmed === false && !route?.isPublic && location.pathname !== CONFIRM)
    return CONFIRM;
  return null;
}

const nothingHere = () => [h1("There is nothing here"), p("The address leads to no page of the console.")];

async function show({ keepsFocus = false } = {}) {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  unsaved = () => false;
  const { route, params } = found(location.pathname);
  const elsewhere = detour(route);
  if (elsewhere) {
    navigate(elsewhere, { replace: true });
    return;
  }
  here = location.href;
  const inFrame = session() !== null && !route?.isPublic && !route?.hasNoFrame;
  const content = inFrame ? frame(location.pathname) : withoutFrame(route?.isWide);
  const loading = setTimeout(
    () => content.childElementCount || fill(content, p({ class: "quiet", role: "status" }, "Loading…")),
    LOADING_AFTER_MS,
  );
  let parts;
  try {
    const query = new URLSearchParams(location.search);
    const get = (path, asked) => api.get(path, asked, signal);
    parts = route ? await (await route.load()).page({ params, query, signal, get }) : nothingHere();
  } catch (error) {
    if (signal.aborted) return;
    parts = [h1("This page could not be shown"), problemNotice(error, refresh)];
  } finally {
    clearTimeout(loading);
  }
  if (signal.aborted) return;
  fill(content, parts);
  const heading = content.querySelector("h1");
  document.title = `${heading?.textContent ?? "Console"} · Switchboard`;
  if (keepsFocus || !heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function followed(event) {
  const link = event.target.closest?.("a[href]");
  const isPlain = !event.defaultPrevented && event.button === 0;
  const withKey = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (!link || !isPlain || withKey || link.target || link.hasAttribute("download")) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || !/^\/console(\/|$)/.test(to.pathname)) return;
  if (to.hash && to.pathname === location.pathname) return;
  event.preventDefault();
  navigate(to.pathname + to.search);
}

/** Whether the person is logged in again. */
async function comeBack() {
  // A page that was left may still ask something.
  if (session() === null) return false;
  if (await logInAgain()) return true;
  if (mayLeave()) {
    enter(null);
    show();
  }
  return false;
}

/** Loads the page of the address before it is known who asks. */
export function preload(table) {
  routes = table.map((route) => ({ ...route, pattern: pattern(route.path) }));
  // Whatever is wrong with it is said when it is shown.
  return found(location.pathname).route?.load().catch(() => undefined);
}

/** Shows the page of the address, from now on at each change. After `preload`. */
export function startRouter() {
  whenSessionIsLost(oneAtATime(comeBack));
  document.addEventListener("click", followed);
  addEventListener("popstate", () => (mayLeave() ? show() : history.pushState(null, "", here)));
  addEventListener("beforeunload", (event) => unsaved() && event.preventDefault());
  return show();
}
