/** What the person sees of the call, besides the transcript. */

import { invitation } from "./link.js";
import { sentence } from "./trouble.js";

const element = (id) => document.getElementById(id);

export const view = {
  phase(name, status) {
    document.body.dataset.phase = name;
    element("status").textContent = status;
    const live = name === "live" || name === "reconnecting";
    element("start").hidden = live || name === "connecting";
    element("mute").hidden = !live;
    element("end").hidden = !(live || name === "connecting");
    element("start").querySelector("span").textContent = startWords(name === "over");
    if (!live) {
      this.speaking("");
      this.people(0);
    }
  },

  speaking(who) {
    document.body.dataset.speaking = who;
  },

  trouble(problem) {
    element("trouble").hidden = !problem;
    if (!problem) return;
    element("trouble-title").textContent = sentence(problem.message);
    element("trouble-advice").textContent = sentence(problem.advice);
  },

  agent(name) {
    element("agent-name").textContent = name;
    document.title = `${name} · Switchboard`;
  },

  people(count) {
    element("people").hidden = count < 2;
    element("people").textContent = `${count} people in the call`;
  },

  elapsed(seconds) {
    const whole = Math.max(0, Math.floor(seconds));
    element("elapsed").textContent = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  },
};

element("start").querySelector("span").textContent = startWords(false);

function startWords(again) {
  if (invitation) return again ? "Join again" : "Join the call";
  return again ? "Call again" : "Start the call";
}
