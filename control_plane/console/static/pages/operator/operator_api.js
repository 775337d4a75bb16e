/** The operator's routes. The token is kept in this page alone, and forgotten when it is closed. */

import { exchange } from "../../kit.js";

let token = null;

export const hasToken = () => token !== null;

export function useToken(given) {
  token = given;
}

async function send(method, path, options = {}) {
  const headers = { Authorization: `Bearer ${token}` };
  // A refused token says nothing about the dashboard session of this browser.
  return (await exchange(method, `/v1/operator${path}`, { ...options, headers, mayBeUnknown: true })).document;
}

export const operatorApi = {
  get: (path, query, signal) => send("GET", path, { query, signal }),
  post: (path, body) => send("POST", path, { body }),
  put: (path, body) => send("PUT", path, { body }),
  delete: (path) => send("DELETE", path),
  patch: (path, body) => send("PATCH", path, { body }),
};
