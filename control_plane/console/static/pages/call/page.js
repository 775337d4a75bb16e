/** One call: what was said beside its recording, how fast the agent was, what was found, the bill. */

import { badge } from "../../components/badge.js";
import { confirmed } from "../../components/dialog.js";
import { report } from "../../components/notices.js";
import { pageHead } from "../../components/page_head.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { clock, dateTime, milliseconds, money, sentence } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { repeat } from "../../core/repeat.js";
import { analysisCard } from "./analysis.js";
import { billCard } from "./bill.js";
import { eventsCard } from "./events.js";
import { exportButtons } from "./export.js";
import { liveTranscript } from "./live.js";
import { recordingPlayer } from "./player.js";
import { transcriptList } from "./transcript.js";

const { a, button, dd, div, dl, dt, h2, p, section, span } = tags;
const OVER = new Set(["completed", "failed", "no_answer", "busy", "canceled"]);
const ASK_EVERY_MS = 4000;
const RATINGS = { up: "Good", down: "Bad" };

async function hangUp(call) {
  if (!(await confirmed("End this call?", "The caller hears the agent stop.", "End the call"))) return;
  try {
    await api.post(`/v1/calls/${call.id}/end`);
    await refresh();
  } catch (error) {
    report(error);
  }
}

/** The middle one of the turns' times until the agent answered. */
function medianLatency(call) {
  const times = call.transcript.raw
    .map(({ metrics }) => metrics?.end_to_end_ms)
    .filter((ms) => typeof ms === "number")
    .sort((one, other) => one - other);
  return times.length ? times[Math.floor((times.length - 1) / 2)] : null;
}

function figures(call) {
  const shown = [
    ["Duration", clock(call.bill_duration)],
    ["Cost", money(call.total_cost)],
    ["Answers in (median)", milliseconds(medianLatency(call))],
    ["Ended by", sentence(call.end_reason), "text"],
  ];
  return dl({ class: "figures" }, shown.map(([term, value, kind]) => div(dt(term), dd({ class: kind }, value))));
}

function isUnfinished(call) {
  const analysing = ["pending", "processing"].includes(call.intelligence_status);
  return analysing || call.recording?.status === "processing";
}

function conversationCard(call, signal) {
  if (!OVER.has(call.status)) return liveTranscript(call, signal, refresh);
  const player = call.recording && recordingPlayer(call.recording, signal);
  const empty = p({ class: "quiet" }, "Nobody said anything, or the agent keeps no transcripts.");
  const list = call.transcript.segments.length ? transcriptList(call.transcript, player) : empty;
  return section({ class: "card" }, h2("Conversation"), player?.node, list);
}

function detailsCard(call) {
  const slots = Object.entries(call.collected_slots);
  const facts = [
    ["Created", dateTime(call.created_at)],
    ["Started", dateTime(call.started_at)],
    ["Ended", dateTime(call.ended_at)],
    ...call.participants.map(({ role, identity, transport }) => [sentence(role), `${identity} (${transport})`]),
    ...(call.feedback ? [["Rated", RATINGS[call.feedback.rating] + (call.feedback.comment ? `: ${call.feedback.comment}` : "")]] : []),
    ["Call", call.id],
  ];
  const list = (pairs) => dl({ class: "facts" }, pairs.map(([term, value]) => [dt(term), dd(value)]));
  return [
    slots.length > 0 && section({ class: "card" }, h2("Collected"), list(slots.map(([name, value]) => [sentence(name), value]))),
    section({ class: "card" }, h2("Details"), list(facts)),
  ];
}

export async function page({ params, signal }) {
  const [call, bill] = await Promise.all([
    api.get(`/v1/calls/${params.id}`, {}, signal),
    api.get(`/v1/calls/${params.id}/bill`, {}, signal),
  ]);
  const isOver = OVER.has(call.status);
  if (isOver && isUnfinished(call)) {
    const look = async () => {
      if (!isUnfinished(await api.get(`/v1/calls/${params.id}`, {}, signal))) await refresh();
    };
    repeat(look, ASK_EVERY_MS, signal);
  }
  const about = [badge(call.status), " ", span(dateTime(call.created_at)), " · ", a({ href: `/console/agents/${call.agent.id}` }, "Agent")];
  return [
    pageHead(call.agent.name, {
      about,
      actions: isOver
        ? exportButtons(call)
        : button({ type: "button", class: "danger", onclick: () => hangUp(call) }, "End the call"),
    }),
    figures(call),
    div(
      { class: "columns wide-left" },
      div({ class: "sections" }, conversationCard(call, signal), eventsCard(call)),
      div({ class: "sections" }, isOver && analysisCard(call.intelligence), billCard(call, bill), detailsCard(call)),
    ),
  ];
}
