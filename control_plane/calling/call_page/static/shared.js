/** The agent behind a public link or an invitation: who it is, what a visitor may use, and whether
 * it can be called now. */

import { share } from "./link.js";
import { offer, payment, price } from "./paying.js";
import { request } from "./requests.js";
import { sentence } from "./trouble.js";

const BUSY_EVERY_MS = 5000;

const element = (id) => document.getElementById(id);
const path = (rest) => `/v1/shared/${encodeURIComponent(share)}${rest}`;

const NOTICES = {
  gone: ["This link does not work any more", "Ask for a new one where you got it."],
  off: ["This agent is not available", "Its owner has switched it off, or your invitation is over."],
  unpublished: ["This agent takes no calls right now", "Come back later."],
  empty: ["No minutes are left", "All the minutes for this agent are used."],
  busy: ["All lines are busy", "The call button comes back as soon as a line is free."],
};

let busyTimer = null;

export async function createSharedCall() {
  const headers = payment();
  const wanted = path(headers ? "/paid-calls" : "/calls");
  const created = await (await request(wanted, { method: "POST", headers: headers ?? {} })).json();
  return { id: created.id, agentName: created.name, access: created.access };
}

/** Looks at the agent and shows it; returns its name, or `null` if it is not shown. */
export async function look() {
  clearTimeout(busyTimer);
  const agent = await found();
  const isPaid = await offer(agent, look);
  document.body.dataset.share = isPaid ? "ready" : agent.state;
  text("company", [agent.role, agent.company_name].filter(Boolean).join(" · "));
  text("about", agent.about);
  const isReady = isPaid || agent.state === "ready";
  text("terms", isReady ? (isPaid ? `${price(agent)}.` : terms(agent)) : "");
  text("consent", isReady && agent.is_recorded ? consent(agent) : "");
  notice(agent, isPaid);
  if (agent.state === "busy") lookLater();
  return agent.name;
}

/** Looks until somebody tells whether a line is free. */
function lookLater() {
  busyTimer = setTimeout(() => look().catch(lookLater), BUSY_EVERY_MS);
}

async function found() {
  try {
    return await (await request(path(""), {})).json();
  } catch (error) {
    if (error.status === 404) return { state: "gone", name: null };
    throw error;
  }
}

function text(id, words) {
  element(id).hidden = !words;
  element(id).textContent = words ?? "";
}

function terms(agent) {
  const left = agent.minutes_remaining < 1 ? "Less than a minute is left" : left_of(agent);
  return `${left}. A call may last ${spelledOut(agent.max_call_seconds)}.`;
}

function left_of(agent) {
  const minutes = agent.minutes_remaining;
  return minutes === 1 ? "1 minute is left" : `${minutes} minutes are left`;
}

function spelledOut(seconds) {
  if (seconds < 60) return `${seconds} seconds`;
  const minutes = Math.floor(seconds / 60);
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}

function consent(agent) {
  return agent.asks_consent
    ? "The call is recorded. The agent says so first, and you can refuse."
    : "The call is recorded.";
}

function notice(agent, isPaid) {
  const [title, advice] = agent.can_pay ? paid(agent, isPaid) : (NOTICES[agent.state] ?? ["", ""]);
  element("notice").hidden = !title;
  element("notice-title").textContent = title;
  element("notice-text").textContent = advice;
  element("ask").hidden = agent.state !== "empty" || agent.minutes_requested;
  element("asked").hidden = agent.state !== "empty" || !agent.minutes_requested;
}

function paid(agent, isPaid) {
  const how = isPaid
    ? "You pay for calls from your own account."
    : `Sign in to pay for calls from your own account. ${price(agent)}.`;
  return ["No free minutes are left", how];
}

async function ask() {
  element("ask").disabled = true;
  try {
    await request(path("/minutes-request"), { method: "POST" });
    element("ask").hidden = true;
    element("asked").hidden = false;
  } catch (error) {
    element("notice-text").textContent = `${sentence(error.message)} ${sentence(error.advice)}`;
  } finally {
    element("ask").disabled = false;
  }
}

element("ask").addEventListener("click", ask);
