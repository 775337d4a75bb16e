/** The phones of a call: how far each has come, its keys. */

import {
  ago, badge, card, clock, code, dateTime, exactMoney, facts, h3, headWith, li, sentence, time, timeOfDay, ul,
} from "../../kit.js";

const PRESSED = { received: "The person pressed ", sent: "The agent pressed " };

const pressed = ({ direction, digits, pressed_at: at }) =>
  li(time({ datetime: at }, timeOfDay(at)), " ", PRESSED[direction], digits === null ? "keys that are not kept" : code(digits));

function progress({ attempts, last_outcome: outcome, due_at: due, direction }) {
  if (direction === "inbound") return "Called you";
  const dialed = ["Not dialed yet", "Dialed once"][attempts] ?? `Dialed ${attempts} times`;
  const told = [dialed, outcome && sentence(outcome).toLowerCase(), due && `next ${new Date(due) > new Date() ? ago(due) : "now"}`];
  return told.filter(Boolean).join("; ");
}

const seconds = ({ joined_at: from, left_at: to }) => (from && to ? (new Date(to) - new Date(from)) / 1000 : null);

const legPart = (leg) => [
  headWith(h3(leg.direction === "inbound" ? (leg.from_number ?? "Withheld number") : leg.to_number), badge(leg.status)),
  facts([
    ["How", progress(leg)],
    [leg.direction === "inbound" ? "Dialed" : "From", leg.direction === "inbound" ? leg.to_number : (leg.from_number ?? "–")],
    ["Carrier", sentence(leg.carrier)],
    ["Connected", dateTime(leg.joined_at)],
    ["For", clock(seconds(leg))],
    ["A minute", exactMoney(leg.price_per_min)],
  ]),
  leg.keys.length > 0 && ul({ class: "origin", "aria-label": "Keys" }, leg.keys.map(pressed)),
];

/** @param legs as `GET /v1/calls/:id/legs` gives them. */
export const legsCard = (legs) => legs.length > 0 && card(legs.length === 1 ? "Phone" : "Phones", legs.map(legPart));
