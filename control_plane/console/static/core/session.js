/** Who is logged in, as `GET /v1/me` tells it. */

import { api, exchange, useCsrfToken } from "./api.js";

let me = null;

/** `null` while nobody is logged in. */
export const session = () => me;

/** What a login or a change of the session answered. */
export function enter(answer) {
  me = answer;
  useCsrfToken(answer?.csrf_token ?? null);
}

/** What the API answers, `null` if it does not know the session. */
async function ifKnown(method, path) {
  try {
    return (await exchange(method, path, { mayBeUnknown: true })).document;
  } catch (error) {
    if (error.status !== 401) throw error;
    return null;
  }
}

export const loadSession = async () => enter(await ifKnown("GET", "/v1/me"));

/** @param how `login` or `sign-up`. */
export const logIn = async (how, given) => enter(await api.post(`/v1/auth/${how}`, given, { mayBeUnknown: true }));

export async function logOut() {
  await ifKnown("POST", "/v1/auth/logout");
  enter(null);
}

/** Whether the person's role lets them change keys, members and the like. */
export const mayAdminister = () => me?.role === "owner" || me?.role === "admin";
