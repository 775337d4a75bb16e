/** One call: its words, recording, analysis and bill. */

import {
  a, actIfConfirmed, api, badge, card, clock, dateTime, div, facts, figures, isOver, milliseconds, money, pageHead,
  parts, press, quiet, refresh, repeat, sentence,
} from "../../kit.js";
import { analysisCard } from "./analysis.js";
import { billCard } from "./bill.js";
import { eventsCard } from "./events.js";
import { exportButtons } from "./export.js";
import { legsCard } from "./legs.js";
import { liveTranscript } from "./live.js";
import { recordingPlayer } from "./player.js";
import { transcriptList } from "./transcript.js";

const ASK_EVERY_MS = 4000;
const RATINGS = { up: "Good", down: "Bad" };

const hangUp = (call) =>
  actIfConfirmed(["End this call?", "The caller hears the agent stop.", "End the call"], () => api.post(`/v1/calls/${call.id}/end`));

/** The middle one of the turns' times until the agent answered. */
function medianLatency(call) {
  const times = call.transcript.raw
    .map(({ metrics }) => metrics?.end_to_end_ms)
    .filter((ms) => typeof ms === "number")
    .sort((one, other) => one - other);
  return times.length ? times[Math.floor((times.length - 1) / 2)] : null;
}

const summary = (call) => [
  ["Duration", clock(call.bill_duration)],
  ["Cost", money(call.total_cost)],
  ["Answers in (median)", milliseconds(medianLatency(call))],
  ["Ended by", sentence(call.end_reason), "text"],
];

function isUnfinished(call) {
  const analysing = ["pending", "processing"].includes(call.intelligence_status);
  return analysing || call.recording?.status === "processing";
}

function conversationCard(call, signal) {
  if (!isOver(call.status)) return liveTranscript(call, signal, refresh);
  const player = call.recording && recordingPlayer(call.recording, signal);
  const empty = quiet("Nobody said anything, or the agent keeps no transcripts.");
  return card("Conversation", player?.node, call.transcript.segments.length ? transcriptList(call.transcript, player) : empty);
}

const ratingOf = ({ rating, comment }) => RATINGS[rating] + (comment ? `: ${comment}` : "");

function detailsCards(call) {
  const slots = Object.entries(call.collected_slots).map(([name, value]) => [sentence(name), value]);
  const details = [
    ["Created", dateTime(call.created_at)],
    ["Started", dateTime(call.started_at)],
    ["Ended", dateTime(call.ended_at)],
    ...call.participants.map(({ role, identity, transport }) => [sentence(role), transport === "pstn" ? `${identity} (phone)` : `${identity} (browser)`]),
    call.feedback && ["Rated", ratingOf(call.feedback)],
    ["Call", call.id],
  ];
  return [slots.length > 0 && card("Collected", facts(slots)), card("Details", facts(details))];
}

export async function page({ params, signal, get }) {
  const ask = (rest = "") => get(`/v1/calls/${params.id}${rest}`);
  const [call, bill, { legs }] = await Promise.all([ask(), ask("/bill"), ask("/legs")]);
  const over = isOver(call.status);
  if (over && isUnfinished(call)) repeat(async () => isUnfinished(await ask()) || refresh(), ASK_EVERY_MS, signal);
  return [
    pageHead(call.agent.name, {
      about: [badge(call.status), " ", dateTime(call.created_at), " · ", a({ href: `/console/agents/${call.agent.id}` }, "Agent")],
      actions: over ? exportButtons(call) : press("End the call", () => hangUp(call), "danger"),
    }),
    figures(summary(call)),
    div(
      { class: "columns wide-left" },
      parts(conversationCard(call, signal), eventsCard(call)),
      parts(legsCard(legs), over && analysisCard(call.intelligence), billCard(call, bill), detailsCards(call)),
    ),
  ];
}
