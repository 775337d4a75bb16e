/** Calls by day. */

import { isOver } from "../../kit.js";

const PAGE_SIZE = 500;
const MOST_PAGES = 4;
const NOTHING = { calls: 0, ended: 0, answered: 0, seconds: 0, spent: 0 };

/** The beginning of a day, in the person's own time zone. */
export function daysBack(count, now = new Date()) {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - count);
}

/** `{ calls, isWhole }`: the calls since a time; of very many, only the newest ones. */
export async function callsSince(since, get) {
  const calls = [];
  let cursor = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await get("/v1/calls", { limit: PAGE_SIZE, cursor });
    const recent = answer.calls.filter(({ created_at }) => new Date(created_at) >= since);
    calls.push(...recent);
    cursor = answer.next_cursor;
    if (cursor === null || recent.length < answer.calls.length) return { calls, isWhole: true };
  }
  return { calls, isWhole: false };
}

/** The days that `GET /v1/calls/daily-latencies` lists, today last. */
export async function dailyLatencies(days, get) {
  const ask = async (query) => (await get("/v1/calls/daily-latencies", query)).days;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  try {
    return await ask({ days, time_zone: timeZone });
  } catch (error) {
    // The server's list of time zones may be older than the browser's.
    if (error.status !== 400) throw error;
    return ask({ days });
  }
}

/**
 * The last `count` days, today last: `{ date, calls, ended, answered, seconds, spent }`. Of the calls that
 * have ended, those are answered that began.
 */
export function byDay(calls, count) {
  const days = Array.from({ length: count }, (_, index) => ({
    date: daysBack(count - 1 - index),
    ...NOTHING,
  }));
  const found = new Map(days.map((day) => [day.date.toDateString(), day]));
  for (const call of calls) {
    const day = found.get(new Date(call.created_at).toDateString());
    if (!day) continue;
    day.calls += 1;
    const over = isOver(call.status);
    day.ended += over ? 1 : 0;
    day.answered += over && call.started_at !== null ? 1 : 0;
    day.seconds += call.bill_duration ?? 0;
    day.spent += call.total_cost ?? 0;
  }
  return days;
}

export function totals(days) {
  const sum = (name) => days.reduce((all, day) => all + day[name], 0);
  return Object.fromEntries(Object.keys(NOTHING).map((name) => [name, sum(name)]));
}
