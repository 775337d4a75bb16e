/** Paying for calls from an account of one's own, once the free minutes of an invitation are used:
 * signing in or up, and the account's credit. */

import { share } from "./link.js";
import { sentence } from "./trouble.js";

const STEPS = ["paying-form", "paying-unconfirmed", "paying-account"];
const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});

const element = (id) => document.getElementById(id);

let csrfToken = null;
let isNew = false;
let lookAgain = async () => {};

/** The headers of a call that is paid; `null` while nobody can pay. */
export const payment = () => csrfToken && { "X-CSRF-Token": csrfToken };

export const price = (agent) => `A minute costs ${dollars.format(agent.price_per_min)}`;

/** Shows how the person can pay. Returns whether everything is there for a call. */
export async function offer(agent, again) {
  lookAgain = again;
  element("paying").hidden = !agent.can_pay;
  // What is known is kept meanwhile: a call may be started at the same moment.
  csrfToken = agent.can_pay ? await payerToken() : null;
  return Boolean(csrfToken);
}

/** Shows who pays, if that is known; returns the token with which they can, or `null`. */
async function payerToken() {
  let token = null;
  const payer = await ask("GET", `/v1/shared/${encodeURIComponent(share)}/payer`);
  if (payer.status === 401) step("paying-form");
  else if (payer.code === "email_not_confirmed") step("paying-unconfirmed");
  else if (!payer.ok) {
    step("paying-account");
    tell("paying-balance", sentence(payer.detail));
  } else {
    token = await freshCsrfToken();
    step("paying-account");
    tell("paying-balance", `${payer.account}: ${dollars.format(payer.available_usd)} are left.`);
  }
  element("paying-credit").hidden = !payer.ok;
  return token;
}

function step(shown) {
  for (const each of STEPS) element(each).hidden = each !== shown;
}

function tell(id, words) {
  element(id).textContent = words;
}

/** The answer's body, with its `status` and whether it is `ok`. */
async function ask(method, path, body, headers = {}) {
  try {
    const response = await fetch(path, {
      method,
      headers: body ? { ...headers, "Content-Type": "application/json" } : headers,
      body: body && JSON.stringify(body),
    });
    const answered = await response.json().catch(() => ({}));
    const retryAfter = response.headers.get("Retry-After");
    return { ...answered, status: response.status, ok: response.ok, retryAfter };
  } catch {
    return { ok: false, detail: "The server did not answer. Try again." };
  }
}

async function freshCsrfToken() {
  return (await ask("GET", "/v1/me")).csrf_token ?? null;
}

function wordsFor({ code, detail, errors, retryAfter }) {
  switch (code) {
    case "invalid_credentials":
      return "The mail address or the password is wrong.";
    case "too_many_attempts":
      return `Too many attempts. Try again in ${Math.ceil(Number(retryAfter) / 60)} minutes.`;
    case "invalid_request":
      return errors?.map(({ field, message }) => `${NAMES[field] ?? field}: ${message}.`).join(" ");
    default:
      return sentence(detail ?? "Something went wrong. Try again.");
  }
}

const NAMES = { email: "Mail address", password: "Password", tenant_name: "Your name or company" };

function setNew(wanted) {
  isNew = wanted;
  element("paying-name-row").hidden = !isNew;
  element("paying-name").required = isNew;
  element("paying-password").autocomplete = isNew ? "new-password" : "current-password";
  element("paying-hint").hidden = !isNew;
  element("paying-forgotten").hidden = isNew;
  tell("paying-submit", isNew ? "Create the account" : "Sign in");
  tell("paying-other", isNew ? "I have an account" : "Create an account");
  tell("paying-fault", "");
}

async function send(event) {
  event.preventDefault();
  element("paying-submit").disabled = true;
  tell("paying-fault", "");
  const body = {
    email: element("paying-email").value,
    password: element("paying-password").value,
    ...(isNew ? { tenant_name: element("paying-name").value } : {}),
  };
  const answer = await ask("POST", isNew ? "/v1/auth/sign-up" : "/v1/auth/login", body);
  element("paying-submit").disabled = false;
  if (!answer.ok) {
    tell("paying-fault", wordsFor(answer));
    return;
  }
  element("paying-form").reset();
  setNew(false);
  await lookAgain();
}

async function leave() {
  const token = await freshCsrfToken();
  await ask("POST", "/v1/auth/logout", null, { "X-CSRF-Token": token ?? "" });
  await lookAgain();
}

element("paying-form").addEventListener("submit", send);
element("paying-other").addEventListener("click", () => setNew(!isNew));
element("paying-confirmed").addEventListener("click", () => lookAgain());
for (const each of document.querySelectorAll(".paying-leave")) each.addEventListener("click", leave);
// The person comes back from the mail, or from adding credit.
addEventListener("focus", () => {
  const isIdle = ["idle", "over"].includes(document.body.dataset.phase);
  if (isIdle && !element("paying").hidden && element("paying-form").hidden) lookAgain();
});
