/** A call with the agent, on the call page in a frame. */

import { formOf } from "../../components/form.js";
import { api } from "../../core/api.js";
import { fill, tags } from "../../core/elements.js";
import { session } from "../../core/session.js";

const { a, div, h2, iframe, p, section } = tags;

/** The call page, joined with the access token of the call that was just made. */
function callFrame({ id, participants }) {
  const token = participants[0].access.token;
  const frame = iframe({
    class: "talk",
    title: "Call with the agent",
    allow: "microphone; autoplay",
    src: `/call#${new URLSearchParams({ call: id, token })}`,
  });
  frame.addEventListener("load", () => {
    // The person has pressed a button already, and it stands for the frame's.
    frame.contentDocument.getElementById("start").click();
  });
  return frame;
}

export async function tab({ agent }) {
  const place = div({ class: "sections" });
  if (!agent.published_version) {
    const publish = a({ href: `/console/agents/${agent.id}/publish`, class: "button primary" }, "Publish it");
    return section({ class: "card" }, h2("Publish it first"), p("Calls use the published version."), div({ class: "buttons" }, publish));
  }
  const begin = async () => {
    const identity = session().user?.email ?? "console";
    const call = await api.post("/v1/calls", {
      agent_id: agent.id,
      participants: [{ transport: "webrtc", identity }],
      metadata: { from: "console" },
    });
    fill(
      place,
      callFrame(call),
      div({ class: "buttons" }, a({ href: `/console/calls/${call.id}`, class: "button" }, "Read this call"), startForm("Call again")),
    );
  };
  const startForm = (words) => formOf([], begin, { words });
  return fill(
    place,
    section(
      { class: "card" },
      h2(`Talk to ${agent.name}`),
      p({ class: "quiet" }, `A call with version ${agent.published_version}, in this page. It costs what any call costs. The browser asks for the microphone.`),
      startForm("Start the call"),
    ),
  );
}
