/** The operator's routes. The token is kept in this page alone, and forgotten when it is closed. */

import { apiOf, exchange } from "../../kit.js";

let token = null;

export const hasToken = () => token !== null;

export function useToken(given) {
  token = given;
}

export const operatorApi = apiOf((method, path, options = {}) => {
  const headers = { ...options.headers, Authorization: `Bearer ${token}` };
  // A refused token says nothing about the dashboard session of this browser.
  return exchange(method, `/v1/operator${path}`, { ...options, headers, mayBeUnknown: true });
});
