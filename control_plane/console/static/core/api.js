/** The public API, with the dashboard session's cookie and its CSRF token. */

const UNREACHABLE = "Switchboard cannot be reached. Check your connection, then try again.";

/** An answer that is no success, in words for a person. */
export class ApiError extends Error {
  constructor(status, problem = {}, retryAfterSeconds = null) {
    super(words(status, problem, retryAfterSeconds));
    this.status = status;
    this.code = problem.code ?? null;
    /** `{ field, message }` of each field that is wrong. */
    this.errors = problem.errors ?? [];
  }
}

function words(status, problem, retryAfterSeconds) {
  if (status === 0) return UNREACHABLE;
  const told = problem.detail ?? problem.title ?? `The server answered ${status}`;
  const sentence = /[.!?]$/.test(told) ? told : `${told}.`;
  if (status !== 429 || !retryAfterSeconds) return sentence;
  const wait =
    retryAfterSeconds < 90
      ? `${retryAfterSeconds} seconds`
      : `${Math.ceil(retryAfterSeconds / 60)} minutes`;
  return `${sentence} Try again in ${wait}.`;
}

let csrfToken = null;
let onSessionLost = async () => false;

export function useCsrfToken(token) {
  csrfToken = token;
}

/** `listener` is called when the API no longer knows the session, and resolves to whether the person is back. */
export function whenSessionIsLost(listener) {
  onSessionLost = listener;
}

/** `path`, with those of the query's values that are not empty. */
export function address(path, query) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== "");
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

async function send(method, path, { body, query, headers, signal } = {}) {
  const sent = { ...headers };
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) sent["Content-Type"] = "application/json";
  if (method !== "GET" && csrfToken) sent["X-CSRF-Token"] = csrfToken;
  try {
    return await fetch(address(path, query), {
      method,
      headers: sent,
      body: isForm ? body : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0);
  }
}

async function failure(response) {
  const problem = await response.json().catch(() => ({}));
  return new ApiError(response.status, problem, Number(response.headers.get("Retry-After")) || null);
}

/** @throws {ApiError} for every answer that is no success, and if there is none. */
async function answered(method, path, options = {}) {
  const response = await send(method, path, options);
  if (response.ok) return response;
  const problem = await failure(response);
  // In another tab the person has logged in again, or has chosen another tenant than this page shows.
  if (problem.code === "csrf_token_required") location.reload();
  if (problem.status === 401 && !options.mayBeUnknown && (await onSessionLost())) return answered(method, path, options);
  throw problem;
}

/** The response's document, and its headers; throws as `answered`. */
export async function exchange(method, path, options = {}) {
  const response = await answered(method, path, options);
  const text = await response.text();
  return { document: text ? JSON.parse(text) : null, headers: response.headers };
}

const only = async (exchanged) => (await exchanged).document;

/** The methods of an API whose requests `send` makes as `exchange` does. A body may be `FormData`. */
export const apiOf = (send) => ({
  get: (path, query, signal) => only(send("GET", path, { query, signal })),
  post: (path, body, options) => only(send("POST", path, { body, ...options })),
  put: (path, body) => only(send("PUT", path, { body })),
  patch: (path, body, headers) => only(send("PATCH", path, { body, headers })),
  delete: (path) => only(send("DELETE", path)),
});

export const api = {
  ...apiOf(exchange),
  /** @returns {Promise<Blob>} what the answer to a POST holds. */
  blob: async (path, body) => (await answered("POST", path, { body })).blob(),
};
