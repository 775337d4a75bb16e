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

export async function loadSession() {
  try {
    const { document: answer } = await exchange("GET", "/v1/me", { mayBeUnknown: true });
    enter(answer);
  } catch (error) {
    if (error.status !== 401) throw error;
    enter(null);
  }
}

/** @param how `login` or `sign-up`. */
export const logIn = async (how, given) => enter(await api.post(`/v1/auth/${how}`, given, { mayBeUnknown: true }));

export async function logOut() {
  await api.post("/v1/auth/logout");
  enter(null);
}

/** Whether the person's role lets them change keys, members and the like. */
export const mayAdminister = () => me?.role === "owner" || me?.role === "admin";
